import { freePorts } from '../processes/ports.js'
import { type MariadbServer, startMariadb } from './mariadb-server.js'

const PROVIDER = '/usr/lib/galera/libgalera_smm.so'

/** Starts a Galera cluster of nodes of MariaDB, of the packages `galera-4` and `rsync` of Debian. */
export async function startGalera(nodes = 2): Promise<readonly MariadbServer[]> {
  const ports: number[] = []
  const transfers: number[] = []
  for (let node = 0; node < nodes; node++) {
    ports.push(await freePorts())
    transfers.push(await freePorts())
  }
  const start = (index: number, ...more: readonly string[]): Promise<MariadbServer> =>
    startMariadb(
      [
        '--wsrep-on=1',
        `--wsrep-provider=${PROVIDER}`,
        `--wsrep-cluster-address=gcomm://${ports.map((port) => `127.0.0.1:${port}`).join(',')}`,
        '--wsrep-node-address=127.0.0.1',
        `--wsrep-node-name=node${index}`,
        '--wsrep-sst-method=rsync',
        `--wsrep-sst-receive-address=127.0.0.1:${transfers[index]}`,
        `--wsrep-provider-options=base_host=127.0.0.1;base_port=${ports[index]};gmcast.listen_addr=tcp://127.0.0.1:${ports[index]};ist.recv_addr=127.0.0.1:${ports[index]! + 1}`,
        '--binlog-format=ROW',
        '--innodb-autoinc-lock-mode=2',
        ...more,
      ],
      { isCopied: true },
    )
  const running = [await start(0, '--wsrep-new-cluster')]
  // One copies the rows of another at a time.
  for (let node = 1; node < nodes; node++) running.push(await start(node))
  return running
}
