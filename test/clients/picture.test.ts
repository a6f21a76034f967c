import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readPicture } from '../../src/clients/picture.js'
import { gif, jpeg, png, SVG, webp } from '../support/browser/pictures.js'

/** An image in which these bytes are others. */
function changed(image: Uint8Array, at: number, ...bytes: readonly number[]): Uint8Array {
  const copy = Uint8Array.from(image)
  copy.set(bytes, at)
  return copy
}
/** A JPEG with this marker, which says that nothing belongs to it, before its frame. */
const jpegAfter = (...marker: readonly number[]): Uint8Array =>
  Buffer.concat([Buffer.from([0xff, 0xd8, ...marker, 0, 2]), jpeg(9, 9).subarray(2)])
const TEXT = Buffer.from('A comment')

describe('the header of an image', () => {
  it.each<[string, Uint8Array, object]>([
    ['a PNG', png(16, 9), { mediaType: 'image/png', width: 16, height: 9 }],
    ['a PNG that would take gigabytes', png(60_000, 60_000), { width: 60_000, height: 60_000 }],
    ['a PNG with texts before its data', png(7, 8, { before: [['tEXt', TEXT], ['zTXt', TEXT]] }), { width: 7, height: 8 }],
    ['a JPEG', jpeg(640, 480), { mediaType: 'image/jpeg', width: 640, height: 480 }],
    ['a progressive JPEG', jpeg(5, 6, 0xc2), { width: 5, height: 6 }],
    ['a lossy WebP', webp.lossy(300, 200), { mediaType: 'image/webp', width: 300, height: 200 }],
    ['a lossless WebP', webp.lossless(16_384, 3), { width: 16_384, height: 3 }],
    ['an extended WebP', webp.extended(70_000, 2), { width: 70_000, height: 2 }],
  ])('tells the kind and the size of %s', (_, bytes, expected) => {
    expect(readPicture(bytes)).toMatchObject(expected)
  }) // prettier-ignore

  it.each<[string, Uint8Array]>([
    ['nothing', new Uint8Array()],
    ['a text', Buffer.from('not an image, but longer than the header of one')],
    ['an SVG', Buffer.from(SVG)],
    ['a GIF', gif(16, 16)],
    ['a PNG without columns', png(0, 9)],
    ['a PNG without rows', png(9, 0)],
    ['a PNG with another first half of the signature', changed(png(9, 9), 0, 0x88)],
    ['a PNG with another second half of the signature', changed(png(9, 9), 4, 0x0a)],
    ['a PNG whose header has another length', changed(png(9, 9), 11, 14)],
    ['a PNG whose header has another name', changed(png(9, 9), 12, 0x69)],
    ['a PNG that ends before its data', png(9, 9, { before: [['IEND', new Uint8Array()]] })],
    ['a PNG with no data', png(9, 9).subarray(0, 33)],
    ['a PNG that moves', png(9, 9, { before: [['acTL', Buffer.alloc(8)]] })],
    ['a PNG with a second header', png(9, 9, { before: [['IHDR', Buffer.alloc(13)]] })],
    ['a PNG with a chunk that is too long', png(9, 9, { length: 0xffff_ffff })],
    ['a JPEG that is cut off', jpeg(9, 9).subarray(0, 12)],
    ['a JPEG without its start', changed(jpeg(9, 9), 1, 0xd9)],
    ['a JPEG that ends before its frame', jpegAfter(0xff, 0xd9)],
    ['a JPEG whose data is before its frame', jpegAfter(0xff, 0xda)],
    ['a JPEG with something else before its frame', jpegAfter(0xff, 0xbf)],
    ['a JPEG without a frame', jpeg(9, 9, 0xda)],
    ['a lossless JPEG, which no browser shows', jpeg(9, 9, 0xc3)],
    ['a JPEG with a segment of no length', changed(jpegAfter(0xff, 0xe0), 5, 0)],
    ['a JPEG with a segment of one byte', changed(jpegAfter(0xff, 0xe0), 5, 1)],
    ['a WebP in another container', changed(webp.extended(9, 9), 0, 0x72)],
    ['a container with another content', changed(webp.extended(9, 9), 8, 0x77)],
    ['a WebP that moves', webp.extended(9, 9, 2)],
    ['a WebP of an unknown kind', webp.chunk('VP9 ', Buffer.alloc(20))],
    ['a lossy WebP without its start code', changed(webp.lossy(9, 9), 23, 0x9e)],
    ['a lossless WebP without its signature', webp.chunk('VP8L', Buffer.alloc(20))],
    ['a compressed text', deflateSync(Buffer.alloc(1000))],
  ])('is none of %s [SAY-08]', (_, bytes) => {
    expect(readPicture(bytes)).toBe(null)
  })

  it('is read without an exception and without end, whatever the bytes are', () => {
    const heads = [png(9, 9), jpeg(9, 9), webp.lossy(9, 9), webp.extended(9, 9)]
    const bytes = fc
      .tuple(fc.constantFrom(...heads), fc.nat(40), fc.uint8Array({ maxLength: 80 }))
      .map(([head, at, rest]) => Buffer.concat([head.subarray(0, at), rest]))
    fc.assert(
      fc.property(bytes, (some) => {
        const picture = readPicture(some)
        expect(picture === null || (picture.width > 0 && picture.height > 0)).toBe(true)
      }),
    )
  })
})
