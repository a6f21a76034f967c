import { REFRESH_POLICY, type RefreshPolicy } from 'hallpass/policy'

/**
 * The name of a rule that a simulation checks.
 *
 * @group Simulations
 */
export type SimulationRule =
  /** Calls of the store that overlapped have no order that explains their results. */
  | 'not_linearizable'
  /** The store threw, although nothing was wrong with the storage. */
  | 'store_threw'
  /** A purge deleted a row that is not due by any clock that is right. */
  | 'purged_too_early'
  /** A code was exchanged for tokens twice. */
  | 'code_redeemed_twice'
  /** Two refreshes with one token returned different successors. */
  | 'refresh_token_forked'
  /** A token or code was accepted after its end was acknowledged: by revocation, disconnection, erasure or reuse. */
  | 'accepted_after_end'
  /** A token or code was accepted after its expiry. */
  | 'accepted_after_expiry'
  /** A token was accepted for another client, person or site than it was issued for. */
  | 'crossed'
  /** A code or token was refused that was issued, has not expired, and was not ended by anything. */
  | 'refused_while_valid'
  /** A change was stored without an event that reports it. */
  | 'change_without_event'
  /** The event of a change was never delivered. */
  | 'event_lost'
  /** An event was delivered whose change was not stored. */
  | 'event_without_change'
  /** Something that may be used once only got 503, and was refused as used, though no answer said to fetch it anew. */
  | 'used_up_by_503'
  /** Something that may be used once was accepted twice. */
  | 'used_twice'
  /** An endpoint returned 500. */
  | 'server_error'

/** The connection between a person and a client that comes from one authorization code. */
interface Grant {
  readonly label: string
  readonly site: number
  readonly subject: string
  readonly clientId: string
  /** Whether something that began may have ended it: from then on a refusal proves nothing. */
  mayHaveEnded: boolean
  /** When its end was acknowledged: from then on no request may succeed. */
  endedAt: Moment
  readonly refreshTokens: Token[]
  /** When the grant itself expires: the earliest and the latest possible time. */
  expiry: Expiry | null
}

/** A code or token that a client received. */
export interface Token {
  readonly label: string
  readonly kind: 'code' | 'access token' | 'refresh token'
  readonly value: string
  readonly grant: Grant
  readonly expiry: Expiry
  /** Time of the first request that used it up: an exchange or refresh. `null` if there was none. */
  firstSentAt: number | null
  /** How many such requests began. */
  sent: number
  /** How many of them have not ended. */
  open: number
  /** The tokens that clients received for it. */
  readonly successors: Set<Token>
  /** When a client first received a successor of it. `null` if it never did. */
  exchanged: Span | null
  mayHaveEnded: boolean
  endedAt: Moment
}

/** A point in the order of all events. `Infinity` is never. */
type Moment = number

/** Between which times a token expires: clocks differ, and a response does not say when it was decided. */
interface Expiry {
  readonly earliest: number
  readonly latest: number
}

/** A request: when it began, in the order of events and in seconds. */
interface Span {
  readonly moment: Moment
  readonly time: number
}

/** The lifetimes of the simulated sites, in seconds. */
export const LIFETIMES = {
  codeSeconds: 60,
  accessTokenSeconds: 3600,
  refreshIdleSeconds: 2_592_000,
  grantSeconds: 15_552_000,
} as const
/** The policy of every client, with which a second use is a replay as early as possible. */
export const REPEATING: RefreshPolicy = REFRESH_POLICY.lostResponse
/** How long `decideRedemption` forgives a second use of a code. */
const RESEND_SECONDS = 5
const DAY_SECONDS = 86_400

interface TokenResponse {
  readonly access_token: string
  readonly refresh_token?: string
  readonly expires_in: number
}

/** Remembers the responses that clients received, and compares further ones with them. Created by {@link createLedger}. */
export interface Ledger {
  readonly codes: readonly Token[]
  readonly accessTokens: readonly Token[]
  readonly refreshTokens: readonly Token[]
  /** Begins a request. */
  readonly begin: () => Span
  /** A client received a code. `span`: the request that issued it. */
  readonly gotCode: (
    span: Span,
    about: { code: string; site: number; subject: string; clientId: string },
  ) => void
  /** Begins an exchange of a code or a refresh token by the client that owns it. */
  readonly send: (token: Token) => Span
  /** Ends it. `response`: the tokens; `refused`; or `null` if the client does not know. */
  readonly sent: (span: Span, token: Token, response: TokenResponse | 'refused' | null) => void
  /** A gate accepted or refused an access token. `access`: `null` if it was refused. */
  readonly used: (
    span: Span,
    token: Token,
    access: { clientId: string; subject: string } | null,
  ) => void
  /** Begins to revoke a token. Returns what to call when the revocation is acknowledged. */
  readonly revoke: (token: Token) => () => void
  /**
   * Begins to disconnect a client, or to erase a person (`clientId` is `null`). Returns what to call when it is
   * acknowledged.
   */
  readonly end: (who: { site: number; subject: string; clientId: string | null }) => () => void
}

interface Ending {
  readonly site: number
  readonly subject: string
  readonly clientId: string | null
  readonly began: Span
  /** When it was acknowledged. */
  endedAt: Moment
}

/**
 * Creates the ledger of a simulation.
 *
 * @param skewSeconds - how far the clock of a process may be from the right time
 * @param violate - receives what should not have happened
 */
export function createLedger({
  time,
  skewSeconds: skew,
  violate,
}: {
  time: () => number
  skewSeconds: number
  violate: (rule: SimulationRule, what: string) => void
}): Ledger {
  const codes: Token[] = []
  const accessTokens: Token[] = []
  const refreshTokens: Token[] = []
  const endings: Ending[] = []
  let moment = 0
  const begin = (): Span => ({ moment: ++moment, time: time() })

  /** Adds a token unless it is known: a repeated response has the same. */
  const add = (
    list: Token[],
    fields: Pick<Token, 'kind' | 'value' | 'grant' | 'expiry'>,
  ): Token => {
    const known = list.find(({ value }) => value === fields.value)
    if (known !== undefined) return known
    const token: Token = {
      ...fields,
      label: `${fields.kind} ${list.length + 1}`,
      firstSentAt: null,
      sent: 0,
      open: 0,
      successors: new Set(),
      exchanged: null,
      mayHaveEnded: false,
      endedAt: Infinity,
    }
    list.push(token)
    return token
  }

  /** Whether a second use of a code or refresh token may have ended its grant by now. */
  const mayBeReplay = ({ kind, sent, firstSentAt, successors }: Token): boolean => {
    if (sent < 2) return false
    const forgiven = kind === 'code' ? RESEND_SECONDS + 1 : REPEATING.repeatSeconds
    const isLate = time() - firstSentAt! >= forgiven - 2 * skew
    return isLate || (kind === 'refresh token' && [...successors].some((one) => one.sent > 0))
  }

  /** Whether a request was a second use for certain, so that its refusal has ended the grant. */
  const isReplay = (span: Span, { kind, exchanged, expiry, successors }: Token): boolean => {
    if (kind === 'refresh token')
      return [...successors].some((one) => (one.exchanged?.moment ?? Infinity) < span.moment)
    const isLate = exchanged !== null && span.time - exchanged.time > RESEND_SECONDS + 2 * skew
    // A code is purged a day after its expiry, and is then like any unknown one.
    return isLate && time() + skew < expiry.earliest + DAY_SECONDS
  }

  const mayHaveEnded = ({ grant, ...token }: Token): boolean =>
    token.mayHaveEnded ||
    grant.mayHaveEnded ||
    [codes.find((code) => code.grant === grant)!, ...grant.refreshTokens].some(
      (one) => one.open > 0 && mayBeReplay(one),
    )

  const accept = (span: Span, token: Token): void => {
    const { label, grant, expiry } = token
    if (span.moment > Math.min(token.endedAt, grant.endedAt))
      violate('accepted_after_end', `${label} of ${grant.label} was ended`)
    const latest = Math.min(expiry.latest, grant.expiry?.latest ?? Infinity)
    if (span.time - skew >= latest) violate('accepted_after_expiry', `${label} of ${grant.label}`)
  }

  const refuse = (token: Token): void => {
    const { label, grant, expiry } = token
    const earliest = Math.min(expiry.earliest, grant.expiry?.earliest ?? Infinity)
    if (mayHaveEnded(token) || time() + skew >= earliest) return
    violate('refused_while_valid', `${label} of ${grant.label}`)
  }

  const isMeant = (
    { site, subject, clientId }: Omit<Ending, 'began' | 'endedAt'>,
    grant: Grant,
  ): boolean =>
    grant.site === site &&
    grant.subject === subject &&
    (clientId === null || grant.clientId === clientId)

  /** A client received the tokens of a code or of a refresh token. */
  const gotTokens = (span: Span, token: Token, response: TokenResponse): void => {
    accept(span, token)
    if (isReplay(span, token))
      violate('accepted_after_end', `${token.label} of ${token.grant.label} was used up`)
    const { grant } = token
    const first = token.firstSentAt!
    const within = (seconds: number, from = first): Expiry => ({
      earliest: from - skew + seconds,
      latest: time() + skew + seconds,
    })
    if (token.kind === 'code') grant.expiry ??= within(LIFETIMES.grantSeconds)
    add(accessTokens, {
      kind: 'access token',
      value: response.access_token,
      grant,
      // A repeated response about an expired token does not say when that was.
      expiry: within(response.expires_in, response.expires_in === 0 ? -Infinity : span.time),
    })
    const successor = add(refreshTokens, {
      kind: 'refresh token',
      value: response.refresh_token!,
      grant,
      expiry: within(LIFETIMES.refreshIdleSeconds),
    })
    if (!grant.refreshTokens.includes(successor)) grant.refreshTokens.push(successor)
    token.exchanged ??= begin()
    token.successors.add(successor)
    if (token.successors.size > 1)
      violate(
        token.kind === 'code' ? 'code_redeemed_twice' : 'refresh_token_forked',
        `${token.label} of ${grant.label}`,
      )
  }

  return {
    codes,
    accessTokens,
    refreshTokens,
    begin,

    gotCode(span, { code, ...about }) {
      const grant: Grant = {
        ...about,
        label: `grant ${codes.length + 1}`,
        mayHaveEnded: false,
        endedAt: Infinity,
        refreshTokens: [],
        expiry: null,
      }
      for (const ending of endings.filter((one) => isMeant(one, grant))) {
        if (ending.endedAt > span.moment) grant.mayHaveEnded = true
        const erasedUntil = ending.began.time + DAY_SECONDS - 2 * skew
        const isErased = ending.clientId === null && ending.endedAt < moment && time() < erasedUntil
        if (isErased) grant.endedAt = ++moment
      }
      add(codes, {
        kind: 'code',
        value: code,
        grant,
        expiry: {
          earliest: span.time - skew + LIFETIMES.codeSeconds,
          latest: time() + skew + LIFETIMES.codeSeconds,
        },
      })
    },

    send(token) {
      token.firstSentAt ??= time()
      token.sent++
      token.open++
      return begin()
    },

    sent(span, token, response) {
      const { grant } = token
      if (response === 'refused') {
        // A code that may have been exchanged already is refused without a word about its grant.
        if (token.kind === 'refresh token' || token.sent === 1) refuse(token)
        if (isReplay(span, token)) grant.endedAt = Math.min(grant.endedAt, ++moment)
      } else if (response !== null) gotTokens(span, token, response)
      if (mayBeReplay(token)) grant.mayHaveEnded = true
      token.open--
    },

    used(span, token, access) {
      if (access === null) return refuse(token)
      accept(span, token)
      const { clientId, subject, label } = token.grant
      if (access.clientId !== clientId || access.subject !== subject)
        violate('crossed', `${token.label} of ${label} gave access to ${access.subject}`)
    },

    revoke(token) {
      const ended = token.kind === 'refresh token' ? token.grant : token
      ended.mayHaveEnded = true
      return () => {
        ended.endedAt = Math.min(ended.endedAt, ++moment)
      }
    },

    end(who) {
      const ending: Ending = { ...who, began: begin(), endedAt: Infinity }
      endings.push(ending)
      const meant = (): Grant[] =>
        codes.map(({ grant }) => grant).filter((grant) => isMeant(who, grant))
      const before = meant()
      for (const grant of before) grant.mayHaveEnded = true
      return () => {
        ending.endedAt = ++moment
        for (const grant of meant()) grant.mayHaveEnded = true
        // A code may be issued after a disconnection that overlapped it, but not after an erasure.
        for (const grant of who.clientId === null ? meant() : before)
          grant.endedAt = Math.min(grant.endedAt, ending.endedAt)
      }
    },
  }
}
