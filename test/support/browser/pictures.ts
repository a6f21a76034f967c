import { deflateSync } from 'node:zlib'

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}
// No checksum is read: what shows an image checks it.
const chunk = (type: string, data: Uint8Array, length = data.length): Buffer =>
  Buffer.concat([u32(length), Buffer.from(type), data, u32(0)])

/** A PNG of these dimensions, with the data of one pixel: one that expands, if they are large. */
export function png(
  width: number,
  height: number,
  {
    before = [],
    length,
  }: { before?: readonly (readonly [string, Uint8Array])[]; length?: number } = {},
): Buffer {
  const header = Buffer.concat([u32(width), u32(height), Buffer.from([8, 6, 0, 0, 0])])
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    ...(length === undefined ? [] : [chunk('tEXt', Buffer.alloc(8), length)]),
    ...before.map(([type, data]) => chunk(type, data)),
    chunk('IDAT', deflateSync(Buffer.from([0, 1, 2, 3, 255]))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** A JPEG of these dimensions, with a frame of this kind after two other segments. */
export function jpeg(width: number, height: number, frame = 0xc0): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt16BE(height, 0)
  size.writeUInt16BE(width, 2)
  return Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 6, 1, 2, 3, 4, 0xff, 0xc4, 0, 3, 7]),
    Buffer.from([0xff, frame, 0, 11, 8]),
    size,
    Buffer.from([1, 1, 0x11, 0, 0xff, 0xda, 0, 2, 0xff, 0xd9]),
  ])
}

const u24 = (value: number): Buffer =>
  Buffer.from([value & 255, (value >> 8) & 255, (value >> 16) & 255])
const riff = (type: string, data: Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from('RIFF'),
    u24(data.length + 12),
    Buffer.from([0]),
    Buffer.from('WEBP'),
    Buffer.from(type),
    u24(data.length),
    Buffer.from([0]),
    data,
  ])

/** WebP images of these dimensions, in each of its three forms. */
export const webp = {
  chunk: riff,
  lossy: (width: number, height: number): Buffer =>
    riff(
      'VP8 ',
      Buffer.from([0, 0, 0, 0x9d, 0x01, 0x2a, width & 255, width >> 8, height & 255, height >> 8]),
    ),
  lossless(width: number, height: number): Buffer {
    const bits = Buffer.alloc(4)
    bits.writeUInt32LE((width - 1) | ((height - 1) << 14))
    return riff('VP8L', Buffer.concat([Buffer.from([0x2f]), bits]))
  },
  extended: (width: number, height: number, flags = 0): Buffer =>
    riff('VP8X', Buffer.concat([Buffer.from([flags, 0, 0, 0]), u24(width - 1), u24(height - 1)])),
}

/** A GIF, which is not accepted. */
export const gif = (width: number, height: number): Buffer =>
  Buffer.concat([
    Buffer.from('GIF89a'),
    Buffer.from([width, 0, height, 0, 0, 0, 0]),
    Buffer.alloc(20),
  ])

/** An image that runs a script where it is opened. */
export const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>'
