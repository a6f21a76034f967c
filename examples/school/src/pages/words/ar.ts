import { html } from '../html.js'
import type { Language } from './words.js'

/** Modern Standard Arabic, written from right to left. */
export const arabic: Language = {
  tag: 'ar',
  locale: 'ar',
  dir: 'rtl',
  words: {
    signIn: {
      title: 'تسجيل الدخول',
      titleAgain: 'تسجيل الدخول مرة أخرى',
      error: (title) => `خطأ: ${title}`,
      continueAsTitle: (name) => `هل تريد المتابعة باسم ${name}؟`,
      continueAs: (name) => html`هل تريد المتابعة باسم ${name}؟`,
      welcome: (school) => `مرحبًا بعودتك إلى ${school}.`,
      confirm:
        'لقد سجّلت الدخول منذ مدة. تغيّر الخطوة التالية ما يمكن للتطبيقات فعله هنا، لذا يُرجى تأكيد هويتك.',
      waits: (app, school) => html`<strong>${app}</strong> ينتظر الاتصال بـ ${school}.`,
      asksAgain: (app, school) =>
        html`<strong>${app}</strong> يطلب منك تسجيل الدخول إلى ${school} مرة أخرى.`,
      thenBackTo: (place) => html`بعد ذلك تعود إلى ${place}.`,
      neverSeesPassword: (app) =>
        html`لا يرى ${app} كلمة مرورك أبدًا. في الخطوة التالية تقرّر أنت ما يمكنه فعله.`,
      unreviewedProgram: html`<strong>لم يراجع أحد هذا التطبيق.</strong> يعمل على جهاز كمبيوتر وقد
        اختار اسمه بنفسه. سجّل الدخول فقط إذا شغّلته بنفسك الآن.`,
      unreviewedSite: (school, host) =>
        html`<strong>لم تراجع ${school} هذا التطبيق.</strong> كل ما نعرفه أن ${host} ينشره. سجّل
          الدخول فقط إذا كنت تثق بذلك الموقع.`,
      wrongCredentials: (school) =>
        `البريد الإلكتروني وكلمة المرور لا يطابقان أي حساب في ${school}.`,
      throttled: (span) =>
        html`<strong>محاولات كثيرة جدًا.</strong> انتظر ${span} ثم حاول مرة أخرى.`,
      suspended: (school) =>
        html`<strong>حسابك موقوف.</strong> تواصل مع ${school} إذا كنت ترى أن هذا خطأ.`,
      email: 'البريد الإلكتروني',
      password: 'كلمة المرور',
      submit: 'تسجيل الدخول',
      proceed: 'متابعة',
      otherAccount: 'استخدام حساب آخر',
    },
    app: {
      onThisComputer: (host) => html`${host} على هذا الكمبيوتر`,
      programOnDevice: (scheme) => html`برنامج على هذا الجهاز عبر روابط ${scheme}`,
      known: 'معروف',
      notReviewed: 'غير مراجَع',
      madeBySchool: (school) => `من إنشاء مدرستك ${school}`,
      knownPlatform: 'منصة معروفة',
      choseItsName: 'تطبيق على هذا الكمبيوتر. اختار اسمه بنفسه.',
      choseItsNameElsewhere: 'تطبيق على جهاز كمبيوتر. اختار اسمه بنفسه.',
      identifiedBy: (host) => html`يعرّف نفسه من خلال ${host}`,
      identifiedAndReviewed: (host, school) =>
        html`يعرّف نفسه من خلال ${host}، وقد راجعته ${school}`,
      aboutItself: 'ما يقوله عن نفسه',
      links: { site: 'الموقع', policy: 'سياسة الخصوصية', terms: 'الشروط' },
      linksUnchecked: (school) => `لم تتحقق ${school} من هذه العناوين، لذا فهي ليست روابط.`,
      elsewhere: '، وهو ليس عنوان التطبيق نفسه',
    },
    consent: {
      title: (app) => `هل تسمح لـ ${app} بالاتصال؟`,
      heading: (app, school) => html`هل تسمح لـ ${app} بالاتصال بـ ${school}؟`,
      can: 'ما يمكنه فعله',
      cannot: 'ما لا يمكنه فعله',
      lasts: (span) => `يستمر الوصول لمدة أقصاها ${span}، ثم على التطبيق أن يطلب مرة أخرى.`,
      clientEnds: (moment) => html`تسمح المدرسة لهذا التطبيق بالاتصال حتى ${moment}.`,
      disconnect: html`يمكنك <strong>قطع اتصاله</strong> في أي وقت من حسابك.`,
      allow: 'السماح',
      cancel: 'إلغاء',
      blockedTitle: (app) => `لا يمكن لـ ${app} الاتصال بهذا الحساب`,
      blockedHeading: (app) => html`لا يمكن لـ ${app} الاتصال بهذا الحساب`,
      notStaff: (school) =>
        html`<strong>هذا التطبيق لمن يديرون المدرسة.</strong> دورك في ${school} لا يشمل ذلك. استخدم
          حسابًا آخر أو اسأل مالك المدرسة.`,
      noMember: (school) =>
        html`<strong>هذا الحساب ليس عضوًا في ${school}.</strong> يمكن للأعضاء فقط ربط التطبيقات
          بالمدرسة. استخدم حسابًا آخر أو اطلب من المدرسة دعوتك.`,
      startedProgram: (app) =>
        html`<strong>هل شغّلت هذا التطبيق بنفسك؟</strong> يمكن لأي برنامج على هذا الكمبيوتر أن يسمّي
          نفسه ${app}. اسمح له فقط إذا شغّلته الآن. سنسألك في كل مرة.`,
      unreviewed: (school) =>
        html`<strong>لم تراجع ${school} هذا التطبيق.</strong> إلى أن تراجعه المدرسة، يمكنه الاطلاع
          دون التغيير، وسنسألك في كل مرة.`,
      toThisComputer: (app) =>
        html`إذا سمحت، يحصل برنامج على هذا الكمبيوتر على الوصول. اسمح فقط إذا شغّلت ${app} الآن.`,
      from: 'مصدره',
      sendsBackTo: 'يعيدك إلى',
      account: 'حسابك',
      rolesAt: (roles, school) => `${roles} في ${school}`,
      limits: {
        secrets: 'الاطلاع على كلمة مرورك أو تغييرها، أو الاطلاع على أرقام البطاقات',
        changes: 'تغيير أي شيء',
        otherMembers: 'الاطلاع على بيانات الأعضاء الآخرين',
        buying: 'شراء أي شيء أو طلب استرداد أو إلغاء عضوية',
        personalData: 'الاطلاع على البيانات الشخصية للآخرين',
        payments: 'تحصيل المدفوعات أو ردّها',
        beyondRole: 'فعل أكثر مما يسمح به دورك، الآن أو لاحقًا',
      },
      notInRole: 'ليس ضمن دورك',
      notInRoleWhy: 'يطلب التطبيق ذلك، لكن دورك لا يشمله، لذا لا أثر له.',
      alreadyAllowed: 'مسموح به سابقًا',
      isNew: 'جديد',
      howLong: 'ما المدة التي تريد السماح بها؟',
      untilDisconnected: 'إلى أن أقطع اتصاله',
      atMost: (span) => `${span} على الأكثر.`,
      thenStops: 'ثم يتوقف عن العمل تلقائيًا، وعليه أن يطلب مرة أخرى.',
      ends: { day: () => 'ليوم واحد', term: (moment) => `حتى نهاية الفصل الدراسي، ${moment}` },
      howMuch: 'ما مقدار ما تريد السماح به؟',
      everything: 'كل ما يطلبه',
      everythingMeans: 'كل الوصول المذكور أدناه.',
      readOnly: 'للاطلاع فقط',
      readOnlyMeans: 'يمكنه الاطلاع، لكن لا يمكنه التغيير.',
      choose: 'أريد أن أختار',
      chooseMeans: 'حدّد ما يمكنه فعله. سيعرف دائمًا من أنت.',
      nothingLeft: html`<strong>لم يبقَ ما تسمح به.</strong> حدّد خيارًا واحدًا على الأقل أدناه، أو
        اختر «إلغاء».`,
    },
    scopeList: { makesChanges: 'يُجري تغييرات', personalData: 'بيانات شخصية', stop: '.' },
    roles: {
      owner: 'مالك',
      manager: 'مدير',
      lecturer: 'محاضر',
      assistant: 'مساعد',
      student: 'طالب',
    },
    noRole: 'بلا دور',
    nameless: 'عضو بلا اسم',
    groups: {
      You: 'أنت',
      School: 'المدرسة',
      Courses: 'الدورات',
      Students: 'الطلاب',
      Members: 'الأعضاء',
      Sales: 'المبيعات',
      Content: 'المحتوى',
      Events: 'الفعاليات',
      'Your learning': 'تعلّمك',
    },
    scopes: {
      openid: 'تأكيد هويتك في {school}: معرّف لك، وأي مدرسة هي',
      profile: 'الاطلاع على اسمك وصورتك ودورك',
      email: 'الاطلاع على عنوان بريدك الإلكتروني',
      'courses:read': 'الاطلاع على الدورات، بما فيها المسودات',
      'courses:write': 'إنشاء الدورات التي يراها الزوار والطلاب وتعديلها ونشرها وأرشفتها',
      'students:read': 'الاطلاع على المسجّلين في كل دورة وعلى تقدّمهم',
      'students:write': 'منح الطلاب الوصول إلى الدورات أو تمديده أو إنهاؤه أو إزالته',
      'members:read': 'الاطلاع على أسماء الأعضاء وعناوين بريدهم الإلكتروني ووسومهم',
      'members:write': 'دعوة الأعضاء وتعديل بياناتهم وإيقافهم',
      'analytics:read': 'الاطلاع على إحصاءات الإيرادات والتعلّم',
      'curriculum:read': 'الاطلاع على الأقسام والدروس',
      'curriculum:write': 'إضافة الدروس وتغييرها وإعادة ترتيبها وحذفها',
      'orders:read': 'الاطلاع على الطلبات: من اشترى ماذا ومتى وبكم',
      'school:read': 'الاطلاع على إعدادات المدرسة',
      'school:write': 'تغيير اسم المدرسة ومنطقتها الزمنية وعملتها وسياساتها',
      'appearance:read': 'الاطلاع على تصميم المدرسة',
      'appearance:write': 'تغيير مظهر المدرسة لكل زائر',
      'events:read': 'الاطلاع على الفعاليات ومن يحضرها',
      'events:write': 'إنشاء الفعاليات وتغييرها وإلغاؤها، وتسجيل حضور المشاركين',
      'membership_plans:read': 'الاطلاع على خطط العضوية',
      'membership_plans:write': 'إنشاء خطط العضوية وتغييرها، وتغيير الأسعار للمشترين لاحقًا',
      'coupons:read': 'الاطلاع على رموز الخصم',
      'coupons:write': 'إنشاء رموز الخصم وتغييرها وإيقافها',
      'posts:read': 'الاطلاع على المنشورات، بما فيها المسودات',
      'posts:write': 'كتابة المنشورات ونشرها وحذفها باسم المدرسة',
      'subscriptions:read': 'الاطلاع على عضوية كل شخص',
      'subscriptions:write': 'منح عضويات الأعضاء أو تمديدها أو إلغاؤها',
      'digital_products:read': 'الاطلاع على التنزيلات المعروضة للبيع',
      'digital_products:write': 'إنشاء التنزيلات المعروضة للبيع وتغييرها',
      'comments:read': 'قراءة التعليقات',
      'lecturers:read': 'الاطلاع على المحاضرين',
      'lecturers:write': 'إنشاء صفحات المحاضرين وتغييرها',
      'storage:write': 'رفع الملفات إلى مساحة تخزين المدرسة',
      'forms:read': 'قراءة النماذج والإجابات التي قدّمها الناس',
      'pages:read': 'الاطلاع على الصفحات المخصصة وإصداراتها',
      'pages:write': 'نشر الصفحات على نطاق المدرسة واستعادة إصدارات سابقة',
      'account:read':
        'الاطلاع على دوراتك وموضع توقفك عن المشاهدة وموعد انتهاء وصولك وطلباتك وحجوزات فعالياتك في {school}. لا يمكنه رؤية كلمة مرورك أو رقم بطاقتك أو الأعضاء الآخرين',
      'account:write':
        'تغيير اسمك وصورتك وحفظ موضع توقفك وتعليم الدروس كمكتملة وإلغاء حجوزات الفعاليات. لا يمكنه شراء أي شيء أو طلب استرداد أو إلغاء عضوية',
    },
  },
}
