/** Reads a stream to its end. Stops and returns `null` if it has more than `limitBytes`. */
export async function readStream(
  stream: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  limitBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  for (const reader = stream?.getReader(); ;) {
    const { done = true, value } = (await reader?.read()) ?? {}
    if (done) break
    length += value!.length
    if (length > limitBytes) {
      // Not awaited: a source may never say that it has stopped.
      void reader!.cancel().catch(() => {})
      return null
    }
    chunks.push(value!)
  }
  if (chunks.length === 1) return chunks[0]!
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
}
