import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../source/root.js'
import { startChild } from './child.js'
import { freePorts } from './ports.js'

// Servers in Java that others wrote. `scripts/java.mjs` has fetched and compiled them, and has set CLASSPATH.

const FOLDER = join(ROOT, 'test/real-clients')
/** The first start on a busy machine takes minutes. */
const PATIENCE = { patienceMilliseconds: 400_000 }
/** With this code Keycloak ends when it has built itself anew, and is to be started again. */
const BUILT = 10

/** The version of a package in `pom.xml`. */
export function versionOfMaven(name: string): string {
  const pom = readFileSync(join(FOLDER, 'pom.xml'), 'utf8')
  const [, version] = new RegExp(`<artifactId>${name}</artifactId>\\s*<version>([^<]+)<`).exec(pom) ?? [] // prettier-ignore
  if (version === undefined) throw new Error(`pom.xml has no version of ${name}`)
  return version
}

/** The version of Spring Authorization Server, which CLASSPATH names. */
export function versionsOfSpring(): Readonly<Record<string, string>> {
  const name = 'spring-security-oauth2-authorization-server'
  const [, version] = new RegExp(`${name}-([\\d.]+)\\.jar`).exec(process.env['CLASSPATH'] ?? '') ?? [] // prettier-ignore
  if (version === undefined) throw new Error(`CLASSPATH names no ${name}`)
  return { [name]: version }
}

/** What lets this computer register clients at a realm of Keycloak. */
export const REGISTRATION_FROM_HERE = {
  'org.keycloak.services.clientregistration.policy.ClientRegistrationPolicy': [
    {
      name: 'Trusted Hosts',
      providerId: 'trusted-hosts',
      subType: 'anonymous',
      config: {
        'trusted-hosts': ['127.0.0.1'],
        'host-sending-registration-request-must-match': ['true'],
        'client-uris-must-match': ['true'],
      },
    },
  ],
}

/** A server that runs, and how it ends. */
interface JavaServer {
  readonly origin: string
  readonly stop: () => Promise<void>
}

/** How Keycloak is started. */
interface Keycloak {
  /** What it imports. */
  readonly realm?: object
  /** Those that are off by default. */
  readonly features?: readonly string[]
  /** Its largest heap, as `java` reads it. Default: `512m` */
  readonly heap?: string
  /** The options of its database. Default: one in its memory */
  readonly database?: readonly string[]
  /** The password of `admin`. Default: nobody is an administrator */
  readonly password?: string
}

/** Starts Keycloak as its documentation does for development, on loopback. */
export async function startKeycloak({
  realm,
  features = [],
  heap = '512m',
  database = ['--db=dev-mem'],
  password,
}: Keycloak): Promise<JavaServer & { readonly pid: number }> {
  const home = join(FOLDER, `.generated/java/keycloak-${versionOfMaven('keycloak-quarkus-dist')}`)
  const port = await freePorts()
  if (realm !== undefined) {
    mkdirSync(join(home, 'data/import'), { recursive: true })
    writeFileSync(join(home, 'data/import/realm.json'), JSON.stringify(realm))
  }
  const admin = { KC_BOOTSTRAP_ADMIN_USERNAME: 'admin', KC_BOOTSTRAP_ADMIN_PASSWORD: password ?? '' } // prettier-ignore
  const environment = password === undefined ? {} : admin
  // What `bin/kc.sh` does, which leaves its Java running if it is killed.
  const start = (isBuilt: boolean) =>
    startChild(
      'java',
      [
        `-Xmx${heap}`,
        '-XX:+ExitOnOutOfMemoryError',
        `-Dkc.home.dir=${home}`,
        `-Djboss.server.config.dir=${join(home, 'conf')}`,
        `-Dkc.config.built=${isBuilt}`,
        '-Djava.util.logging.manager=org.jboss.logmanager.LogManager',
        '-cp',
        join(home, 'lib/quarkus-run.jar'),
        'io.quarkus.bootstrap.runner.QuarkusEntryPoint',
        'start-dev',
        ...(realm === undefined ? [] : ['--import-realm']),
        '--http-host=127.0.0.1',
        `--http-port=${port}`,
        ...database,
        '--cache=local',
        ...(features.length === 0 ? [] : [`--features=${features.join()}`]),
      ],
      { environment },
    )
  let keycloak = start(false)
  const isListening = (): boolean => keycloak.output().includes(`Listening on: `)
  await keycloak.until(() => isListening() || keycloak.child.exitCode === BUILT, PATIENCE)
  if (!isListening()) {
    keycloak = start(true)
    await keycloak.until(isListening, PATIENCE)
  }
  const stop = (): Promise<void> => keycloak.stop('SIGTERM')
  return { origin: `http://127.0.0.1:${port}`, pid: keycloak.child.pid!, stop }
}

/** Starts an application of Spring Boot among the drivers, which says when it listens. */
export async function startSpring(
  name: 'SpringResource' | 'SpringServer',
  trial: object,
): Promise<JavaServer> {
  const port = await freePorts()
  const environment = { HALLPASS_TRIAL: JSON.stringify({ port, ...trial }) }
  const { until, output, stop } = startChild('java', [name], { environment })
  await until(() => output().includes('it listens'), PATIENCE)
  return { origin: `http://127.0.0.1:${port}`, stop: () => stop('SIGTERM') }
}
