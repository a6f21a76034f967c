import { OptionsError } from 'hallpass'
import { REFRESH_POLICY, type RefreshPolicies } from 'hallpass/policy'
import {
  CLIENT_BEHAVIOURS,
  type ClientSimulationReport,
  createTokenServer,
  simulateClients,
} from 'hallpass-lab'
import { describe, expect, it } from 'vitest'
import { rounds } from '../../../test/support/run/rounds.js'
import { every } from '../../../test/support/school/bare-server.js'

const withPolicies =
  (refreshPolicies: RefreshPolicies) =>
  (world: Parameters<typeof createTokenServer>[0]): ReturnType<typeof createTokenServer> =>
    createTokenServer({ ...world, refreshPolicies })
const only = (...names: readonly string[]) =>
  CLIENT_BEHAVIOURS.filter(({ name }) => names.includes(name))

/** Whether the requests of the thief differ from those of a slower process or an honest copy. */
const isDistinct = ({ theft, holder }: ClientSimulationReport['thefts'][number]): boolean =>
  theft === 'yesterday' ? holder === 'public' : theft !== 'copy'

describe('thirty days of real clients', () => {
  it('sign no one out who was not robbed, and refuse each thief that can be told at once [REFR-18, REFR-02]', async () => {
    for (let seed = 1; seed <= rounds(1, { soak: 20 }); seed++) {
      const { clients, thefts } = await simulateClients({ seed })
      expect(clients.filter(({ signOuts, refused }) => signOuts + refused > 0)).toEqual([])
      expect(clients.every(({ requests }) => requests > 50)).toBe(true)
      const told = thefts.filter(isDistinct)
      expect(told.length).toBeGreaterThan(20)
      expect(told.filter(({ isSeen, served }) => !isSeen || served > 0)).toEqual([])
    }
  })

  it('serve a thief with a copy like the second process that it cannot be told from', async () => {
    const { thefts } = await simulateClients({ seed: 1, days: 16, behaviours: only('Codex') })
    expect(thefts.filter(({ isSeen }) => !isSeen).map(({ theft }) => theft)).toEqual([
      'copy',
      'yesterday',
    ])
  })

  it('sign people out with the minute of the earlier default, and find the thief with a copy', async () => {
    const createServer = withPolicies(every(REFRESH_POLICY.lostResponse))
    const behaviours = only('Codex')
    const { clients, thefts } = await simulateClients({
      seed: 1,
      days: 16,
      behaviours,
      createServer,
    })
    expect(clients[0]!.signOuts).toBeGreaterThan(5)
    expect(thefts.filter(({ isSeen }) => !isSeen)).toEqual([])
  })
})

describe('a simulation of clients', () => {
  it('follows from its seed', async () => {
    const run = (seed: number): Promise<ClientSimulationReport> =>
      simulateClients({ seed, days: 5, behaviours: only('mobile app', 'hosted platform') })
    expect(await run(7)).toEqual(await run(7))
    expect(await run(8)).not.toEqual({ ...(await run(7)), seed: 8 })
  })

  it('drives any server', async () => {
    let refreshes = 0
    const clients = {
      confidential: { clientId: 'platform', clientSecret: 'secret' },
      native: { clientId: 'cli' },
      public: { clientId: 'app' },
    }
    const { clients: report, thefts } = await simulateClients({
      seed: 1,
      days: 5,
      behaviours: only('mobile app'),
      createServer: () => ({
        clients,
        signIn: async () => ({ refreshToken: 'the only one', expiresIn: 3600 }),
        disconnect: async () => {},
        async token(request) {
          const form = Object.fromEntries(new URLSearchParams(await request.text()))
          expect(form).toEqual({
            grant_type: 'refresh_token',
            refresh_token: 'the only one',
            client_id: expect.stringMatching(/^(?:app|cli)$/),
          })
          refreshes++
          return Response.json({ access_token: 'x', token_type: 'Bearer', expires_in: 3600 })
        },
      }),
    })
    expect(report).toEqual([
      {
        name: 'mobile app',
        holder: 'public',
        requests: expect.any(Number),
        refused: 0,
        signOuts: 0,
      },
    ])
    expect(refreshes).toBeGreaterThan(report[0]!.requests)
    // A server without rotation sees no thief, not even one of another client.
    expect(thefts.filter(({ isSeen }) => isSeen)).toEqual([])
  })

  it('counts a server that is away as no refusal', async () => {
    const { clients } = await simulateClients({
      seed: 1,
      days: 2,
      behaviours: only('mobile app'),
      createServer: async (world) => ({
        ...(await createTokenServer(world)),
        token: async () => Response.json({ error: 'temporarily_unavailable' }, { status: 503 }),
        signIn: async () => ({ refreshToken: 'one', expiresIn: 3600 }),
        disconnect: async () => {},
      }),
    })
    expect(clients[0]).toMatchObject({ refused: 0, signOuts: 0 })
  })

  it('refuses options that it does not have', async () => {
    await expect(simulateClients({ seed: -1 })).rejects.toThrow(OptionsError)
    await expect(simulateClients({ seed: 1, behaviours: [{}] as never })).rejects.toThrow(
      'behaviours must be an array such as CLIENT_BEHAVIOURS',
    )
  })
})
