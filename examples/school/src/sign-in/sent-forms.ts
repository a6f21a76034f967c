import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Execute } from 'hallpass/postgres'
import { purgeRows } from '../platform/purge.js'
import { SESSION_SECONDS } from './sessions.js'

/** For how long the response to a form is given again: a double click, or a reload right after it. */
const ANSWER_SECONDS = 60
/** How many forms of one person are remembered. More are refused until the oldest expire. */
const MAX_FORMS = 1000
const ROUNDS = 60
const PAUSE_MILLISECONDS = 50

/** A form as the browser sent it. */
export interface SentForm {
  /** The identifier of the browser, which only its cookie has. */
  readonly visitor: string
  readonly memberId: string
  readonly path: string
  /** Every field, with the `csrf_token` of the page that the form was on. */
  readonly fields: URLSearchParams
}

/** A response, and whether something was done. If not, the same form may be sent again. */
interface Handled {
  readonly response: Response
  readonly isDone: boolean
}

/**
 * The forms that were sent to one site. Each page has a `csrf_token` of its own, so the same fields at the same path
 * are the same form: a double click, or a reload of its result.
 */
export interface SentForms {
  /**
   * Handles a form once, however often and at whatever instances it is sent. Another sending waits up to three
   * seconds for the first, and gets its response for a minute.
   *
   * The database has the response encrypted with a key that follows from the browser's cookie, so it holds no
   * secret in the clear.
   *
   * @returns the response; `sent_before` if there is none to give again, or if the first sending did not end;
   *   `too_many` if the person has sent too many forms
   */
  readonly once: (
    form: SentForm,
    handle: () => Promise<Handled>,
  ) => Promise<Response | 'sent_before' | 'too_many'>
  /** Deletes what had expired by a time in epoch seconds. */
  readonly purge: (before: number) => Promise<void>
}

interface Row {
  readonly answer: string | null
  readonly answered_at: number | string | null
}

/**
 * Creates the memory of the forms of one site, in its table.
 *
 * @param options - `pause`: waits between two looks for the response of another sending
 */
export function createSentForms({
  execute,
  site,
  now,
  pause = sleep,
}: {
  execute: Execute
  site: string
  now: () => number
  pause?: (milliseconds: number) => Promise<unknown>
}): SentForms {
  /** Whether this sending is the first. */
  async function claim(hash: string, memberId: string): Promise<boolean> {
    const { rows } = await execute(
      `insert into school_sent_form (site, form_hash, member_id, expires_at)
       select $1, $2, $3, $4::bigint
       where (select count(*) from school_sent_form where site = $1 and member_id = $3) < $5::int
       on conflict (site, form_hash) do nothing returning 1`,
      [site, hash, memberId, now() + SESSION_SECONDS, MAX_FORMS],
    )
    return rows.length > 0
  }

  async function find(hash: string): Promise<Row | null> {
    const { rows } = await execute(
      'select answer, answered_at from school_sent_form where site = $1 and form_hash = $2',
      [site, hash],
    )
    return (rows as Row[])[0] ?? null
  }

  async function act({ hash, key }: Keys, handle: () => Promise<Handled>): Promise<Response> {
    // If it throws, the row stays, because something may have been done.
    const { response, isDone } = await handle()
    if (isDone) {
      const answer = seal(await textOf(response.clone()), key)
      await execute(
        'update school_sent_form set answer = $3, answered_at = $4 where site = $1 and form_hash = $2',
        [site, hash, answer, now()],
      )
    } else
      await execute('delete from school_sent_form where site = $1 and form_hash = $2', [site, hash])
    return response
  }

  return {
    async once(form, handle) {
      const keys = keysOf(form)
      // Another sending may give the form back between the two statements, but hardly twice.
      let misses = 0
      for (let round = 0; round < ROUNDS && misses < 3; round++) {
        if (await claim(keys.hash, form.memberId)) return act(keys, handle)
        const row = await find(keys.hash)
        if (row === null) misses += 1
        else if (row.answered_at === null) await pause(PAUSE_MILLISECONDS)
        else {
          const isRecent = Number(row.answered_at) + ANSWER_SECONDS > now()
          return isRecent && row.answer !== null ? open(row.answer, keys.key) : 'sent_before'
        }
      }
      return misses < 3 ? 'sent_before' : 'too_many'
    },
    async purge(before) {
      await execute(
        `update school_sent_form set answer = null
         where site = $1 and answer is not null and answered_at <= $2`,
        [site, before - ANSWER_SECONDS],
      )
      await purgeRows(execute, {
        table: 'school_sent_form',
        key: 'form_hash',
        time: 'expires_at',
        site,
        before: before + 1,
      })
    },
  }
}

interface Keys {
  readonly hash: string
  readonly key: Buffer
}

/** Returns the name of a form in the table, and the key of its response. Neither tells the other. */
function keysOf({ visitor, path, fields }: SentForm): Keys {
  const sent = JSON.stringify([path, fields.toString()])
  const derive = (purpose: string): Buffer =>
    createHmac('sha256', visitor).update(`${purpose}\n${sent}`).digest()
  return { hash: derive('name').toString('base64url'), key: derive('response') }
}

const textOf = async (response: Response): Promise<string> =>
  JSON.stringify([response.status, [...response.headers], await response.text()])

const IV_BYTES = 12
const TAG_BYTES = 16

function seal(text: string, key: Buffer): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const sealed = [cipher.update(text, 'utf8'), cipher.final()]
  return Buffer.concat([iv, cipher.getAuthTag(), ...sealed]).toString('base64url')
}

function open(sealed: string, key: Buffer): Response {
  const bytes = Buffer.from(sealed, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  const text = Buffer.concat([
    decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)),
    decipher.final(),
  ]).toString('utf8')
  const [status, headers, body] = JSON.parse(text) as [number, [string, string][], string]
  return new Response(status === 303 ? null : body, { status, headers })
}
