import { describe, expect, it } from 'vitest'
import {
  hashPassword,
  PasswordsBusyError,
  verifyPassword,
} from '../../../examples/school/src/sign-in/password.js'

const PASSWORD = 'pâte feuilletée'

describe('a password', () => {
  it('is kept as a salted scrypt hash with its settings', async () => {
    const [one, other] = await Promise.all([hashPassword(PASSWORD), hashPassword(PASSWORD)])
    expect(one).toMatch(/^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/)
    expect(other).not.toBe(one)
    expect(await verifyPassword(PASSWORD, other)).toBe(true)
  })

  it('is known again from a hash that was made before', async () => {
    const hashed =
      'scrypt$32768$8$3$AAECAwQFBgcICQoLDA0ODw$fjYD-nCWO0NjpbdzUMxDk8apxLep1dlTP_Fe1xvmKH4'
    expect(await verifyPassword(PASSWORD, hashed)).toBe(true)
    expect(await verifyPassword(PASSWORD.normalize('NFD'), hashed)).toBe(true)
    expect(await verifyPassword('pate feuilletee', hashed)).toBe(false)
  })

  it('is known from a hash with other settings, which came before or will come', async () => {
    const hashed = await hashPassword(PASSWORD, { N: 1024, r: 4, p: 2 })
    expect(hashed).toMatch(/^scrypt\$1024\$4\$2\$/)
    expect(await verifyPassword(PASSWORD, hashed)).toBe(true)
    expect(await verifyPassword(PASSWORD, hashed.replace('$2$', '$1$'))).toBe(false)
  })

  it('is not tried where the settings are none that scrypt knows', async () => {
    await expect(verifyPassword(PASSWORD, 'scrypt$3$8$1$AAECAw$AAECAw')).rejects.toThrow('scrypt')
  })

  it.each([null, '', 'scrypt', 'scrypt$32768$8$3$AAECAwQFBgcICQoLDA0ODw$'])(
    'is not that of the hash %j',
    async (hashed) => {
      expect(await verifyPassword('', hashed)).toBe(false)
    },
  )

  it('is not tried where two are and forty wait, until they are done', async () => {
    const hashed = await hashPassword(PASSWORD, { N: 2, r: 1, p: 1 })
    const tries = Array.from({ length: 43 }, () => verifyPassword(PASSWORD, hashed))
    expect(await Promise.allSettled(tries)).toEqual([
      ...Array.from({ length: 42 }, () => ({ status: 'fulfilled', value: true })),
      { status: 'rejected', reason: new PasswordsBusyError('too many sign-ins at the same time') },
    ])
    expect(await verifyPassword(PASSWORD, hashed)).toBe(true)
  })
})
