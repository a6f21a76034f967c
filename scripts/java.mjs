// Compiles the drivers in Java of test/real-clients, and lets Maven fetch what its pom.xml names. Needs a JDK and Maven,
// which no package of npm brings.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('../test/real-clients/', import.meta.url))
const BUILT = `${FOLDER}.generated/java/`
const LEAST_JAVA = 17

/**
 * @returns the value of CLASSPATH with which `java` finds a driver by the name of its class
 * @throws Error that says what is missing, or what Maven said
 */
export function prepareJava() {
  const version = Number(/^javac (\d+)/.exec(outputOf('javac', ['-version']))?.[1])
  if (!(version >= LEAST_JAVA))
    throw new Error(`Java ${LEAST_JAVA} or newer is needed, and javac is ${version}: set JAVA_HOME, and PATH, to a newer JDK`) // prettier-ignore
  outputOf('mvn', ['-q', '-B', '-T1', '-f', `${FOLDER}pom.xml`, 'compile'])
  return `${BUILT}classes:${readFileSync(`${BUILT}classpath`, 'utf8')}`
}

function outputOf(command, args) {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: 'pipe' })
  } catch (cause) {
    const words =
      cause.code === 'ENOENT'
        ? `is not installed: install a JDK ${LEAST_JAVA} or newer, and Maven, such as Debian's openjdk-17-jdk-headless and maven`
        : `failed:\n${cause.stdout}${cause.stderr}`
    throw new Error(`${command} ${words}`, { cause })
  }
}
