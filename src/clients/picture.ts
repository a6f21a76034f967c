/**
 * The kind and the size of an image, as its header states them.
 */
export interface Picture {
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/webp'
  /** In pixels, at least 1. */
  readonly width: number
  /** In pixels, at least 1. */
  readonly height: number
}

/**
 * Reads the header of an image. Nothing is decoded, so an image of a few bytes that expands to gigabytes costs
 * nothing.
 *
 * @returns `null` unless it is a PNG, JPEG or WebP image without animation, of at least one pixel
 */
export function readPicture(bytes: Uint8Array): Picture | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    const picture = pngOf(view) ?? jpegOf(view) ?? webpOf(view)
    return picture !== null && picture.width > 0 && picture.height > 0 ? picture : null
  } catch {
    // A RangeError: the image ends before its header does.
    return null
  }
}

/** The four characters with which each format names its parts. */
const nameAt = (view: DataView, at: number): string =>
  String.fromCharCode(...[0, 1, 2, 3].map((index) => view.getUint8(at + index)))

/** @see [PNG, section 5](https://www.w3.org/TR/png-3/#5DataRep) */
function pngOf(view: DataView): Picture | null {
  if (view.getUint32(0) !== 0x89504e47 || view.getUint32(4) !== 0x0d0a1a0a) return null
  if (view.getUint32(8) !== 13 || nameAt(view, 12) !== 'IHDR') return null
  const picture = {
    mediaType: 'image/png',
    width: view.getUint32(16),
    height: view.getUint32(20),
  } as const
  // A chunk is its length, its type, its data and a checksum. That of an animation is before the first data.
  for (let at = 33; ; at += 12 + view.getUint32(at)) {
    const type = nameAt(view, at + 4)
    if (type === 'IDAT') return picture
    if (type === 'acTL' || type === 'IHDR' || type === 'IEND') return null
  }
}

/** @see [ITU-T T.81, annex B](https://www.w3.org/Graphics/JPEG/itu-t81.pdf) */
function jpegOf(view: DataView): Picture | null {
  if (view.getUint16(0) !== 0xffd8) return null
  for (let at = 2; ; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint16(at)
    // No segment, the end, or the data: no frame comes after them.
    if (marker < 0xffc0 || marker === 0xffd9 || marker === 0xffda) return null
    // Baseline, extended and progressive frames. Browsers show no others.
    if (marker <= 0xffc2) {
      const [width, height] = [view.getUint16(at + 7), view.getUint16(at + 5)]
      return { mediaType: 'image/jpeg', width, height }
    }
  }
}

/** @see [RFC 9649, section 2](https://www.rfc-editor.org/rfc/rfc9649#section-2) */
function webpOf(view: DataView): Picture | null {
  if (nameAt(view, 0) !== 'RIFF' || nameAt(view, 8) !== 'WEBP') return null
  const mediaType = 'image/webp'
  const threeBytes = (at: number): number =>
    view.getUint16(at, true) + view.getUint8(at + 2) * 65_536
  switch (nameAt(view, 12)) {
    case 'VP8 ':
      if (threeBytes(23) !== 0x2a019d) return null
      return {
        mediaType,
        width: view.getUint16(26, true) % 0x4000,
        height: view.getUint16(28, true) % 0x4000,
      }
    case 'VP8L': {
      if (view.getUint8(20) !== 0x2f) return null
      const bits = view.getUint32(21, true)
      return { mediaType, width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
    }
    case 'VP8X': {
      const isAnimated = (view.getUint8(20) & 2) !== 0
      if (isAnimated) return null
      return { mediaType, width: 1 + threeBytes(24), height: 1 + threeBytes(27) }
    }
  }
  return null
}
