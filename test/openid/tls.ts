import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startChild } from '../support/processes/child.js'
import { accepts } from '../support/processes/ports.js'

const run = promisify(execFile)

/** The cipher suites that RFC 9325 recommends for TLS 1.2. */
const CIPHERS = ['ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES256-GCM-SHA384'].join(':')

/** Debian's nginx as the end of TLS on a port of loopback, with a certificate of its own, in front of a server. */
export async function startTls({
  port,
  target,
}: {
  port: number
  target: number
}): Promise<{ readonly stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'hallpass-openid-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
    await run('openssl', [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-keyout',
      join(folder, 'key.pem'),
      '-out',
      join(folder, 'certificate.pem'),
      ...subject,
    ])
    writeFileSync(join(folder, 'nginx.conf'), configurationOf({ folder, port, target }))
    const args = ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')]
    await run('nginx', ['-t', '-q', ...args])
    const nginx = startChild('nginx', args)
    await nginx.until(() => accepts(port), { what: 'nginx accepts connections' })
    return {
      async stop() {
        await nginx.stop('SIGTERM')
        remove()
      },
    }
  } catch (fault) {
    remove()
    throw fault
  }
}

const configurationOf = (of: { folder: string; port: number; target: number }): string => `
daemon off;
master_process off;
pid ${of.folder}/nginx.pid;
events { worker_connections 256; }
http {
  access_log off;
  client_body_temp_path ${of.folder}/body;
  proxy_temp_path ${of.folder}/proxy;
  fastcgi_temp_path ${of.folder}/fastcgi;
  uwsgi_temp_path ${of.folder}/uwsgi;
  scgi_temp_path ${of.folder}/scgi;
  large_client_header_buffers 4 32k;
  server {
    listen 127.0.0.1:${of.port} ssl http2;
    server_name localhost;
    ssl_certificate ${of.folder}/certificate.pem;
    ssl_certificate_key ${of.folder}/key.pem;
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_ciphers ${CIPHERS};
    location / {
      proxy_pass http://127.0.0.1:${of.target};
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
    }
  }
}
`
