import { exportJWK, generateKeyPair } from 'jose'
import { Provider } from 'oidc-provider'

/** One process with an instance of oidc-provider for each school, which builds more of them when it is asked. */
const { privateKey } = await generateKeyPair('ES256', { extractable: true })
const jwk = { ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig' }
/** It warns about its own, which holds what every instance stores. */
class NoAdapter {
  async find() {}
}
const kept = []
const heap = () => {
  gc()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
function build() {
  const provider = new Provider(`https://s${kept.length}.example`, {
    clients: [],
    adapter: NoAdapter,
    jwks: { keys: [jwk] },
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ['a key for cookies'] },
  })
  kept.push([provider, provider.callback()])
}
for (let school = 0; school < 50; school++) build()
process.on('message', ({ count }) => {
  const [before, cpu] = [heap(), process.cpuUsage()]
  for (let school = 0; school < count; school++) build()
  const { user, system } = process.cpuUsage(cpu)
  const after = heap()
  process.send({
    schools: kept.length,
    heap: after,
    kilobytes: (after - before) / count / 1000,
    milliseconds: (user + system) / 1000 / count,
  })
})
process.once('disconnect', () => process.exit())
process.send({})
