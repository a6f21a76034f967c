import { applicationsInTraditionalChinese } from './applications/zh-hant.js'
import { html } from '../html.js'
import { counted } from './counted.js'
import type { Language } from './words.js'

const START_AGAIN = '請回到應用程式重新開始。'
const TELL_MAKER = '您無法在這裡修正此問題。請告知應用程式的開發者。'

const permissions = counted('zh-Hant-TW', { other: '共 {count} 項權限' })
const changing = counted('zh-Hant-TW', {
  none: '都不能進行變更',
  other: '{count} 項可進行變更',
})
const showing = counted('zh-Hant-TW', {
  none: '都不會顯示個人資料',
  other: '{count} 項會顯示個人資料',
})

/** Traditional Chinese, as it is written in Taiwan. */
export const traditionalChinese: Language = {
  tag: 'zh-Hant',
  locale: 'zh-Hant-TW',
  dir: 'ltr',
  words: {
    signIn: {
      title: '登入',
      titleAgain: '重新登入',
      error: (title) => `錯誤：${title}`,
      continueAsTitle: (name) => `要以 ${name} 的身分繼續嗎？`,
      continueAs: (name) => html`要以 ${name} 的身分繼續嗎？`,
      welcome: (school) => `歡迎回到 ${school}。`,
      confirm: '您已登入一段時間。下一步會變更應用程式在這裡的權限，請再次確認是您本人。',
      waits: (app, school) => html`<strong>${app}</strong> 正在等待連接 ${school}。`,
      asksAgain: (app, school) => html`<strong>${app}</strong> 要求您重新登入 ${school}。`,
      asksOther: (app, school) =>
        html`<strong>${app}</strong> 需要的 ${school}
          帳號，與您目前登入的帳號不同。請以您在該應用程式中使用的帳號登入。`,
      thenBackTo: (place) => html`完成後，您會前往：${place}。`,
      neverSeesPassword: (app) => html`${app} 看不到您的密碼。下一步由您決定它可以做什麼。`,
      unreviewedProgram: html`<strong>沒有人審查過這個應用程式。</strong
        >它在電腦上執行，名稱是它自己取的。只有在您剛剛親自啟動它時，才請登入。`,
      unreviewedPage: html`<strong>沒有人審查過這個應用程式。</strong
        >它是這所學校的網頁。只有在您剛剛親自開啟它時，才請登入。`,
      unreviewedSite: (school, host) =>
        html`<strong>${school} 尚未審查這個應用程式。</strong>我們只知道它由 ${host}
          發布。只有在您信任該網站時，才請登入。`,
      wrongCredentials: (school) => `這組電子郵件和密碼與 ${school} 的任何帳號都不相符。`,
      throttled: (span) => html`<strong>嘗試次數過多。</strong>請等待 ${span}後再試一次。`,
      suspended: (school) =>
        html`<strong>您的帳號已停用。</strong>如果您認為這是錯誤，請聯絡 ${school}。`,
      email: '電子郵件',
      password: '密碼',
      submit: '登入',
      proceed: '繼續',
      otherAccount: '使用其他帳號',
    },
    app: {
      onThisComputer: (host) => html`這台電腦上的 ${host}`,
      ownPage: () => '這所學校的網頁',
      programOnDevice: (scheme) => html`這台裝置上透過 ${scheme} 連結開啟的程式`,
      known: '已知',
      notReviewed: '未審查',
      madeBySchool: (school) => `由您的學校 ${school} 製作`,
      knownPlatform: '已知的平台',
      choseItsName: '這台電腦上的應用程式，名稱是它自己取的。',
      choseItsNameHere: '這所學校的網頁，名稱是它自己取的。',
      choseItsNameElsewhere: '某台電腦上的應用程式，名稱是它自己取的。',
      identifiedBy: (host) => html`以 ${host} 表明身分`,
      identifiedAndReviewed: (host, school) => html`以 ${host} 表明身分，並經 ${school} 審查`,
      aboutItself: '它的自我介紹',
      links: { site: '網站', policy: '隱私權政策', terms: '服務條款' },
      linksUnchecked: (school) => `${school} 尚未檢查這些網址，因此不提供連結。`,
      elsewhere: '，不是這個應用程式自己的網址',
    },
    backToApp: {
      title: (app) => `返回 ${app}`,
      heading: (app) => html`返回 ${app}`,
      headingAllowed: (app) => html`返回 ${app} 再試一次`,
      allowed: (app) => html`${app} 現在可以做您允許的事。`,
      denied: (app) => html`沒有任何變更。${app} 可以做的事和以前一樣。`,
      close: '您可以關閉此頁面。',
    },
    consent: {
      title: (app) => `允許 ${app} 連接嗎？`,
      heading: (app, school) => html`允許 ${app} 連接 ${school} 嗎？`,
      moreTitle: (app) => `允許 ${app} 做更多事嗎？`,
      moreHeading: (app, school) => html`允許 ${app} 在 ${school} 做更多事嗎？`,
      can: '它可以做什麼',
      sum: ({ all, changes, personal }) =>
        `${permissions(all)}：${changing(changes)}，${showing(personal)}。`,
      canMore: '它還可以做什麼',
      cannot: '它不能做什麼',
      lasts: (span) => `授權最長為 ${span}，之後應用程式必須重新詢問。`,
      clientEnds: (moment) => html`學校允許這個應用程式連接至 ${moment}。`,
      disconnect: html`您隨時可以在您的帳號中<strong>中斷它的連接</strong>。`,
      laterMore: (apps) =>
        html`之後它如果需要更多權限，會向您顯示連結，由您再次決定。您隨時可以查看${apps('每個應用程式可以做什麼')}。`,
      allow: '允許',
      cancel: '取消',
      paste: '我的終端機在另一台電腦上',
      pasteMeans: '同樣會允許，並顯示要貼到那裡的網址。',
      blockedTitle: (app) => `${app} 無法使用這個帳號連接`,
      blockedHeading: (app) => html`${app} 無法使用這個帳號連接`,
      notStaff: (school, ask) =>
        html`<strong>這個應用程式是給學校管理人員使用的。</strong>您在 ${school}
          的角色不包含此權限。請使用其他帳號，或${ask('詢問學校的擁有者')}。`,
      noMember: (school) =>
        html`<strong>這個帳號不是 ${school} 的成員。</strong
          >只有成員可以將應用程式連接到學校。請使用其他帳號，或請學校邀請您。`,
      startedProgram: (app) =>
        html`<strong>這個應用程式是您自己啟動的嗎？</strong>這台電腦上的任何程式都可以自稱為
          ${app}。只有在您剛剛啟動它時才請允許。每次都會詢問您。`,
      startedProgramMore: (app) =>
        html`<strong>是您自己啟動這個應用程式的嗎？</strong>這部電腦上的任何程式都可以自稱
          ${app}。只有在您剛剛要求它這麼做時，才按允許。`,
      openedPage: (app) =>
        html`<strong>這個應用程式是您自己開啟的嗎？</strong>${app}
          是這所學校的網頁，您允許的存取權會交給您瀏覽器中的這個網頁。只有在您正在使用它時才請允許。`,
      unreviewed: (school) =>
        html`<strong>${school} 尚未審查這個應用程式。</strong
          >在學校審查之前，它只能檢視而不能變更，而且每次都會詢問您。`,
      toThisComputer: (app) =>
        html`如果您允許，這台電腦上的程式會取得存取權。只有在您剛剛啟動 ${app} 時才請允許。`,
      from: '來源',
      sendsBackTo: '完成後前往',
      account: '您的帳號',
      here: '在這所學校',
      history: {
        isNew: '還沒有人連接過。',
        since: (moment) => html`自 ${moment} 起`,
        peopleCount: (count) => `已連接的人數：${count}`,
      },
      rolesAt: (roles, school) => `${school} 的${roles}`,
      limits: {
        secrets: '檢視或變更您的密碼，或檢視信用卡號碼',
        changes: '變更任何內容',
        otherMembers: '檢視其他成員的資料',
        buying: '購買任何東西、申請退款或取消會員方案',
        personalData: '檢視其他人的個人資料',
        payments: '收款或退款',
        beyondRole: '無論現在或以後，做超出您角色權限的事',
      },
      notInRole: '不在您的角色權限內',
      notInRoleWhy: '應用程式要求這項權限，但您的角色不包含它，因此不會生效。',
      alreadyAllowed: '先前已允許',
      isNew: '新增',
      howLong: '您要允許多久？',
      untilDisconnected: '直到我中斷連接',
      atMost: (span) => `最長 ${span}。`,
      thenStops: '之後它會自動停止運作，必須重新詢問。',
      ends: { day: () => '一天', term: (moment) => `直到學期結束，${moment}` },
      howMuch: '您要允許多少權限？',
      everything: '它要求的所有權限',
      everythingMeans: '下方列出的所有權限。',
      readOnly: '僅供檢視',
      readOnlyMeans: '它可以檢視，但不能變更。',
      choose: '讓我選擇',
      chooseMeans: '請勾選它可以做的事。它一律會得知您是誰。',
      nothingLeft: html`<strong>沒有任何可允許的權限。</strong
        >請在下方至少勾選一項，或選擇「取消」。`,
    },
    device: {
      title: '連接裝置',
      enter: (school) => `請輸入您的裝置或終端機顯示的代碼。它想要連接 ${school}。`,
      compare: '您的裝置顯示的是這組代碼嗎？',
      compareMeans: '某個連結將您帶到這裡，並附上一組代碼。請逐字與您的裝置核對。',
      onlyOwn: html`<strong>只有在您自己開始這項操作時才請繼續。</strong
        >如果是別人傳給您代碼或連結，請關閉此頁面：對方想使用您的帳號。`,
      code: '代碼',
      codeMeans: (example) => html`八個英文字母，例如 ${example}。`,
      malformed: '這不可能是代碼。請逐字核對。',
      unknown: '我們不認識這組代碼。它只能使用一次，而且很快就會失效：請在裝置上重新開始。',
      proceed: '繼續',
      started: (app) =>
        html`<strong>是您自己剛剛啟動 ${app} 的嗎？</strong
          >任何人都可以在任何地方啟動使用這個名稱的應用程式。只有在您自己的裝置顯示下方代碼時才請允許。如果是別人傳給您代碼或連結，請選擇「取消」。`,
      shown: '裝置上的代碼',
      askedFrom: '要求來自',
      nowhere: '不明的地點',
      calledItself: (program) => html`它自稱為 ${program}`,
      allowedTitle: (app) => `${app} 已連接`,
      allowedHeading: (app) => html`${app} 已連接`,
      allowed: (app) => html`請回到您的裝置。${app} 會在幾秒內繼續。`,
      deniedTitle: (app) => `${app} 沒有連接`,
      deniedHeading: (app) => html`${app} 沒有連接`,
      denied: () => html`沒有允許任何權限。裝置會在幾秒內得知。`,
    },
    pasteAddress: {
      title: '將網址貼到您的終端機',
      heading: (app) => html`請為 ${app} 貼上這個網址`,
      waits: (app) => html`${app} 正在另一台電腦的終端機中等待這個網址。`,
      address: '要貼上的網址',
      only: (app) =>
        html`<strong>只能貼到您啟動 ${app} 的終端機。</strong
          >任何人拿到這個網址，都會取得您所允許的存取權。請勿傳送給任何人。`,
      once: (span) => `它只能使用一次，有效時間為 ${span}。如果已經失效，請在終端機中重新開始。`,
      close: '之後您可以關閉此頁面。',
    },
    copy: {
      button: '複製',
      done: '已複製。',
      selected: '已選取：請用鍵盤複製。',
    },
    errors: {
      pages: {
        other: {
          title: '我們無法接受這個要求',
          what: '某個應用程式將您帶到這裡，但它的要求不符合我們的規則。',
          advice: START_AGAIN,
        },
        document_at_fault: {
          title: '我們無法接受這個應用程式',
          what: '這個應用程式以網址表明身分。該網址或我們在那裡找到的內容不符合我們的規則。',
          advice: TELL_MAKER,
        },
        document_host_not_allowed: {
          title: '我們不認識這個應用程式',
          what: '這個應用程式以網址表明身分。學校只接受清單上的網址，而這個網址不在清單上。',
          advice: '請詢問學校是否可以允許這個應用程式。',
        },
        client_unknown: {
          title: '我們不認識這個應用程式',
          what: '某個應用程式將您帶到這裡，但它沒有在這所學校註冊。從未使用的應用程式會在一段時間後移除。',
          advice: '請在應用程式中移除這所學校，再重新連接。',
        },
        client_disabled: {
          title: '這個應用程式已關閉',
          what: '學校已關閉這個應用程式。您給它的權限會保留。',
          advice: '請詢問學校是否會重新開啟這個應用程式。',
        },
        client_blocked: {
          title: '這個應用程式已被封鎖',
          what: '學校封鎖了這個應用程式，並中斷了所有人的連接。它不能再使用您的帳號。',
          advice: '請詢問學校是否會解除封鎖。之後您可以重新連接。',
        },
        client_ended: {
          title: '這個應用程式在這裡的期限已到',
          what: '學校允許這個應用程式連接到某個日期，而該日期已到。您的帳號沒有問題。',
          advice: '請詢問學校這個應用程式是否可以繼續使用。',
        },
        member_clients_off: {
          title: '這裡的連接功能已關閉',
          what: '目前成員不能在這所學校使用應用程式。應用程式沒有問題，您給它的權限也會保留。',
          advice: '請詢問學校是否會重新開啟連接功能。',
        },
        document_unavailable: {
          title: '我們無法檢查這個應用程式',
          what: '這個應用程式以網址表明身分，但我們沒有從那裡收到可用的回應。',
          advice: '請在幾分鐘後再試一次。如果問題持續發生，請告知應用程式的開發者。',
        },
        document_fetch_paced: {
          title: '我們目前無法檢查這個應用程式',
          what: '這個應用程式以網址表明身分。我們必須檢查的網址太多，因此暫停片刻。',
          advice: '請等待一分鐘，再重新載入此頁面。',
        },
        request_paced: {
          title: '請稍候片刻',
          what: '過去幾分鐘內，您的網路開始了非常多次登入。我們暫停片刻，不會遺失任何資料。',
          advice: '請等待幾分鐘，再回到應用程式重新開始。',
        },
        redirect_uri_missing: {
          title: '這個應用程式送出的要求不完整',
          what: '它沒有說明接下來要將您帶到哪裡，因此我們在此停止。',
          advice: TELL_MAKER,
        },
        redirect_uri_not_registered: {
          title: '為了保護您的帳號，我們已停止',
          what: '這個應用程式想將您帶到一個未註冊的網址。其他人可能在那裡等待，因此我們沒有送出任何資料。',
          advice: '如果您是從訊息中的連結來到這裡，請關閉此頁面。否則請告知應用程式的開發者。',
        },
        person_signed_out: {
          title: '您尚未登入',
          what: '某個應用程式要求在不顯示頁面的情況下連接。學校尚未審查這個應用程式，因此我們在此停止，沒有將您帶過去。',
          advice: '請先登入學校，再回到應用程式重新開始。',
        },
        interaction_expired: {
          title: '這個要求已結束',
          what: '它已經得到回覆，或等待超過了幾分鐘。',
          advice: START_AGAIN,
        },
        interaction_of_other_browser: {
          title: '這個要求是在另一個瀏覽器開始的',
          what: '您只能在那裡回覆。如果有人傳給您這個連結，對方可能想使用您的帳號。',
          advice: '如果是您自己開始的，請回到應用程式，在這個瀏覽器重新開始。',
        },
        grant_not_of_person: {
          title: '這個連結不適用於此帳號',
          what: '它只供連接該應用程式的人使用，而且只在應用程式仍連接時有效。沒有任何變更。',
          advice: '請用當初連接該應用程式的帳號登入，或重新連接應用程式。',
        },
        scope_beyond_role: {
          title: '您的角色不包含這項權限',
          what: '應用程式需要的權限，不在您於學校的角色之內。沒有任何變更。',
          advice: '請詢問學校的擁有者是否可以變更您的角色。',
        },
        csrf_token_mismatch: {
          title: '此頁面已過期',
          what: '您可能在這段時間登入了其他帳號，或者表單不是從我們的頁面送出的。沒有允許任何權限。',
          advice: START_AGAIN,
        },
        service_unavailable: {
          title: '我們目前無法處理',
          what: '我們需要的某項服務目前沒有回應。沒有遺失任何資料，也沒有允許任何權限。',
          advice: '請等待一分鐘，再重新載入此頁面。如果您已送出表單，請回到應用程式。',
        },
        too_many_requests: {
          title: '要求次數過多',
          what: '您的網路送出了太多要求，因此我們暫停片刻。',
          advice: '請等待一分鐘，再重新載入此頁面。',
        },
        request_too_long: {
          title: '這個要求太長',
          what: '應用程式送出的內容超過我們可以接受的長度。',
          advice: TELL_MAKER,
        },
      },
      forMakers: '給應用程式的開發者',
      code: '代碼',
      attemptId: '嘗試編號：請提供給學校人員，他們可以查出問題所在',
      requestId: '要求編號',
      notFound: {
        title: '找不到頁面',
        heading: '這裡沒有任何內容',
        what: '網址可能輸入錯誤，或頁面可能已移動。',
        home: (school) => `前往 ${school}`,
      },
      fault: { title: '發生錯誤', what: '這是我們的錯誤。請等待一分鐘，再重新載入此頁面。' },
      tooManyTries: {
        title: '嘗試次數過多',
        wait: (span) => `請等待 ${span}後再試一次。您的帳號沒有被鎖定。`,
        why: '這段等待時間可防止他人猜測密碼。',
      },
      areas: {
        role: {
          title: '您的角色不包含這項權限',
          what: '只有學校的擁有者和管理員可以管理它的應用程式。請詢問其中一人，或用其他帳號登入。',
        },
        form: {
          title: '我們沒有接受這份表單',
          what: '它含有我們的表單沒有的欄位。沒有任何變更。請返回上一頁、重新載入，再試一次。',
        },
        method: {
          title: '這裡無法這樣使用',
          what: '這個網址不能以這種方式使用。沒有任何變更。',
        },
        sent_before: {
          title: '您已經送出過了',
          what: '我們先前已收到這份表單，沒有再次執行。請查看目前的狀態。密鑰只會顯示一次：如果您沒有保存，請建立新的密鑰。',
        },
        too_many: {
          title: '表單過多',
          what: '您在過去幾小時內送出了非常多表單，因此我們沒有接受這一份。沒有任何變更。請稍後再試。',
        },
      },
      seeNow: '查看目前的狀態',
    },
    signOut: {
      title: '登出',
      question: '要登出嗎？',
      signedInAs: (school, name) =>
        html`您以 <strong>${name}</strong> 的身分登入 ${school}。您連接的應用程式會保持連接。`,
      submit: '登出',
      stay: '保持登入',
    },
    account: {
      name: '您的帳號',
      home: '首頁',
      apps: '已連接的應用程式',
      appsAre: '查看哪些應用程式可以代表您操作，並中斷連接',
      applications: '學校的應用程式',
      applicationsAre: '管理成員和職員可以連接至這所學校的應用程式',
      hello: (name) => html`您好，${name}`,
      welcome: (school) => `您已登入 ${school}。應用程式想要連接時，我們會先在這裡詢問您。`,
      signedInAs: (name, roles) => html`目前登入身分：<strong>${name}</strong>，${roles}`,
      justNow: '剛剛',
    },
    apps: {
      lead: (school) =>
        `這些應用程式可以在 ${school} 代表您操作。中斷連接後，應用程式會立即停止運作，之後可以再次詢問您。`,
      disconnected: (app) =>
        html`<strong>已中斷 ${app} 的連接。</strong
          >它無法再使用您的帳號。它可能仍保有先前讀取的資料：請要求其開發者刪除。`,
      allDisconnected: html`<strong>已中斷您所有應用程式的連接。</strong
        >它們都無法再使用您的帳號，但可能仍保有先前讀取的資料：請要求其開發者刪除。`,
      disconnectAll: (count) => `中斷全部 ${count} 個應用程式的連接…`,
      ask: {
        title: (app) => `請求使用 ${app}`,
        heading: (app) => html`要請求使用 ${app} 嗎？`,
        effect: (school) =>
          `${school} 的應用程式管理人員會在 30 天內看到您的姓名與此應用程式，並可為您指派允許使用它的角色。`,
        submit: '送出請求',
        keep: '不送出',
        done: (app) => html`<strong>您已請求使用 ${app}。</strong>角色變更後，請再次連接。`,
      },
      empty: {
        title: '沒有已連接的應用程式',
        text: '您連接應用程式時，它會先在這裡詢問您。您會看到它由誰製作、想要做什麼，並由您決定。之後它會出現在這份清單中。',
        how: (school) => `不確定怎麼做嗎？${school} 可以告訴您它提供哪些應用程式。`,
      },
      turnedOff: (school) =>
        html`<strong>已由 ${school} 關閉。</strong
          >它現在無法做任何事。如果學校重新開啟，除非您中斷連接，否則它會照常運作。`,
      connected: '連接時間',
      lastUsed: '上次使用',
      never: '從未使用',
      ends: '到期',
      ended: '已到期',
      can: '它可以做什麼',
      showAll: (count) => `顯示全部 ${count} 項`,
      recent: '最近的活動',
      disconnect: '中斷連接',
      confirm: {
        title: (app) => `中斷 ${app} 的連接`,
        heading: (app) => html`要中斷 ${app} 的連接嗎？`,
        effect: '它會立即停止運作，也無法再查看或變更您的任何內容。',
        neverUsed: '它從未被使用過。',
        lastUsed: (ago) => html`它上次使用的時間：${ago}。`,
        again: '您可以隨時再次連接。它會再次請求您的許可。',
        keep: '保留',
      },
      confirmAll: {
        title: '中斷所有應用程式的連接',
        heading: '要中斷所有應用程式的連接嗎？',
        effect: '這份清單中的應用程式會立即停止運作，也無法再查看或變更您的任何內容：',
        again: '您可以隨時再次連接其中任何一個。它會再次請求您的許可。',
        submit: '全部中斷連接',
        keep: '保留',
      },
    },
    applications: applicationsInTraditionalChinese,
    acts: {
      'oauth.client.created': '已建立應用程式',
      'service.created': '已建立服務',
      'service.ended': '服務已終止',
      'oauth.client.updated': '應用程式已變更',
      'oauth.client.disabled': '已關閉',
      'oauth.client.enabled': '已開啟',
      'oauth.client.deleted': '已刪除',
      'oauth.client.secret_rotated': '已建立新密鑰',
      'oauth.client.old_secret_ended': '舊密鑰已停用',
      'oauth.client.end_set': '期限已變更',
      'oauth.client.registered': '自行註冊',
      'oauth.client.refused': '註冊遭拒絕',
      'oauth.client.cimd.fetched': '已取得文件',
      'oauth.client.cimd.reviewed': '已審查',
      'oauth.client.cimd.changed': '文件已變更',
      'oauth.client.cimd.blocked': '已封鎖',
      'oauth.client.cimd.unblocked': '已解除封鎖',
      'oauth.client.cimd.fetch_failed': '無法取得文件',
      'oauth.client.disconnected': '已中斷連接',
      'oauth.authorization.requested': '請求連接',
      'oauth.authorization.denied': '連接遭拒絕',
      'oauth.authorization.approved': '連接已獲允許',
      'oauth.authorization.code_redeemed': '連接完成',
      'oauth.authorization.code_replayed': '重複送出已使用的代碼，因此中斷連接',
      'oauth.grant.created': '已連接',
      'oauth.grant.scope_changed': '權限已變更',
      'oauth.grant.widened': '取得更多權限',
      'oauth.grant.revoked': '已中斷連接',
      'oauth.grant.reuse_detected': '重複送出已使用的權杖，因此中斷連接',
      'oauth.grant.reuse_recovered': '兩次要求同一個權杖',
      'oauth.grant.reuse_frequent': '一再要求相同的權杖：可能有人持有副本',
      'oauth.grant.used_after_end': '送出已結束連接的權杖',
      'oauth.token.issued': '取得存取權',
      'oauth.token.refreshed': '更新存取權',
      'oauth.token.revoked': '放棄存取權',
      'oauth.token.rejected': '送出無效的權杖',
      'mcp.tool_called': '使用了工具',
      'mcp.denied': '未獲准使用工具',
      'api.write': '變更了內容',
      'api.denied': '請求未獲允許',
      'graphql.operation': '讀取或變更了帳號資料',
    },
    by: (actor) => html`由 ${actor}`,
    scopeList: {
      makesChanges: '會進行變更',
      personalData: '個人資料',
      sensitive: '高風險',
      stop: '。',
    },
    roles: {
      owner: '擁有者',
      manager: '管理員',
      lecturer: '講師',
      assistant: '助教',
      student: '學生',
    },
    noRole: '無角色',
    nameless: '未提供姓名的成員',
    groups: {
      You: '您',
      School: '學校',
      Courses: '課程',
      Students: '學生',
      Members: '成員',
      Sales: '銷售',
      Content: '內容',
      Events: '活動',
      'Your learning': '您的學習',
    },
    scopes: {
      openid: '確認您在 {school} 的身分：您的識別碼，以及是哪一所學校',
      profile: '檢視您的姓名、照片和角色',
      email: '檢視您的電子郵件地址',
      'courses:read': '檢視課程，包含草稿',
      'courses:write': '建立、編輯、發布和封存訪客與學生看得到的課程',
      'students:read': '檢視誰修了哪些課程，以及他們的進度',
      'students:write': '授予、延長、終止或移除學生的課程使用權',
      'members:read': '檢視成員的姓名、電子郵件地址和標籤',
      'members:write': '邀請、編輯和停用成員',
      'analytics:read': '檢視營收和學習統計資料',
      'curriculum:read': '檢視章節和單元',
      'curriculum:write': '新增、變更、重新排序和刪除單元',
      'orders:read': '檢視訂單：誰在何時以多少錢買了什麼',
      'school:read': '檢視學校設定',
      'school:write': '變更學校的名稱、時區、幣別和政策',
      'appearance:read': '檢視學校的外觀設計',
      'appearance:write': '變更所有訪客看到的學校外觀',
      'events:read': '檢視活動和參加者',
      'events:write': '建立、變更和取消活動，並為參加者報到',
      'membership_plans:read': '檢視會員方案',
      'membership_plans:write': '建立和變更會員方案，以及之後購買者的價格',
      'coupons:read': '檢視折扣碼',
      'coupons:write': '建立、變更和停用折扣碼',
      'posts:read': '檢視文章，包含草稿',
      'posts:write': '以學校的名義撰寫、發布和刪除文章',
      'subscriptions:read': '檢視誰擁有哪些會員方案',
      'subscriptions:write': '授予、延長或取消成員的會員方案',
      'digital_products:read': '檢視販售中的下載商品',
      'digital_products:write': '建立和變更販售中的下載商品',
      'comments:read': '讀取留言',
      'lecturers:read': '檢視講師',
      'lecturers:write': '建立和變更講師簡介',
      'storage:write': '將檔案上傳到學校的儲存空間',
      'forms:read': '讀取表單和大家填寫的答案',
      'pages:read': '檢視自訂頁面及其版本',
      'pages:write': '在學校的網域上發布和還原頁面',
      'account:read':
        '檢視您在 {school} 的課程、上次觀看的位置、使用期限、訂單和活動預約。它看不到您的密碼、信用卡號碼或其他成員',
      'account:write':
        '變更您的姓名和照片、儲存觀看位置、將單元標示為完成，以及取消活動預約。它不能購買任何東西、申請退款或取消會員方案',
    },
  },
}
