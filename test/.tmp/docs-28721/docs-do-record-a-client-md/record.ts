// record.ts
import { createServer } from 'node:http'
import { recordClient } from 'hallpass-lab'
import { createDocumentFetcher, toNodeHandler } from 'hallpass/node'

export declare const site: (request: Request) => Promise<Response>

const issuer = 'http://127.0.0.1:3000'
const recorder = recordClient({ issuer, name: 'Notes' })

/** For `documents.fetchDocument` of defineSite. */
export const fetchDocument = recorder.watchDocuments(createDocumentFetcher())

const respond = recorder.watch(async (request) => {
  const response = await site(request)
  if (new URL(request.url).pathname === '/mcp')
    console.log(JSON.stringify(recorder.client(), null, 2))
  return response
})
createServer(toNodeHandler(respond, { origin: issuer })).listen(3000)
