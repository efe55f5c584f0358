/**
 * The URL that is routed: existing clients send double and trailing slashes (`/v2/clusters//default-config`,
 * `/v2/clusters/`) and do not follow redirects. The query stays as it is.
 */
export function cleanPath(url: string): string {
  const query = url.indexOf('?');
  const path = query < 0 ? url : url.slice(0, query);
  if (!path.includes('//') && (path.length < 2 || !path.endsWith('/'))) return url;
  const cleaned = path.replace(/\/{2,}/g, '/');
  return (
    (cleaned.length > 1 && cleaned.endsWith('/') ? cleaned.slice(0, -1) : cleaned) + (query < 0 ? '' : url.slice(query))
  );
}
