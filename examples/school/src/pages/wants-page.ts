/** Returns whether a request accepts HTML, as those of browsers do. */
export const wantsPage = (request: Request): boolean =>
  request.headers.get('accept')?.includes('text/html') ?? false
