import { BlockList, isIP, isIPv4 } from 'node:net';

/** Proxies for outgoing calls, from the usual environment variables. Empty text: none. */
export interface ProxySettings {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  /** Comma-separated host names, `.domain`, addresses or CIDRs, each optionally with a port. `*` for all hosts. */
  readonly noProxy: string;
}

/** Reads HTTP_PROXY, HTTPS_PROXY and NO_PROXY. The variable with the lower-case name is used when that one is absent or empty. */
export function readProxySettings(environment: { readonly [name: string]: string | undefined }): ProxySettings {
  const read = (name: string): string => environment[name] || environment[name.toLowerCase()] || '';
  return { httpProxy: read('HTTP_PROXY'), httpsProxy: read('HTTPS_PROXY'), noProxy: read('NO_PROXY') };
}

/**
 * Returns the proxy for a request to `url`, or undefined for a direct connection. Loopback hosts are always reached
 * directly.
 * @throws Error when the proxy of that scheme is not a URL
 */
export function proxyOf(url: URL, settings: ProxySettings | undefined): URL | undefined {
  if (!settings || isLoopback(url.hostname) || isExcluded(url, settings.noProxy)) return undefined;
  const text = url.protocol === 'https:' ? settings.httpsProxy : settings.httpProxy;
  if (text === '') return undefined;
  const address = /^[a-z]+:\/\//i.test(text) ? text : `http://${text}`;
  // The text may contain a password.
  if (!URL.canParse(address))
    throw new Error(`The proxy for ${url.protocol.slice(0, -1)} is not a URL. Use http://host:port.`);
  return new URL(address);
}

/** Returns the value of an Authorization or Proxy-Authorization header for the credentials in the URL of a server or proxy. */
export function basicAuthorization({ username, password }: URL): string | undefined {
  if (username === '') return undefined;
  return `Basic ${Buffer.concat([bytesOf(username), Buffer.from(':'), bytesOf(password)]).toString('base64')}`;
}

/** The user and the password in a URL, such as that of a proxy. A password may contain an apostrophe. */
const CREDENTIALS = /(:\/\/)[^\s/"]*@/g;

/** Returns the text without the credentials in its URLs. */
export const withoutCredentials = (text: string): string => text.replace(CREDENTIALS, '$1');

/** Returns the bytes of a part of a URL. They need not be UTF-8, and a percent sign may stand for itself. */
const bytesOf = (part: string): Buffer =>
  Buffer.from(
    part.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );

/** Returns the host name of a URL without the brackets of an IPv6 address. */
export const bareHostname = (hostname: string): string => hostname.replace(/^\[|\]$/g, '').toLowerCase();

function isLoopback(hostname: string): boolean {
  const host = bareHostname(hostname);
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

function isExcluded(url: URL, noProxy: string): boolean {
  const host = bareHostname(url.hostname);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return noProxy
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '')
    .some((entry) => matches(entry, host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isInNetwork(entry, host);
  const [, name = entry, wantedPort] = isIP(bareHostname(entry)) ? [] : (/^(.*?)(?::(\d+))?$/.exec(entry) ?? []);
  if (wantedPort !== undefined && wantedPort !== port) return false;
  const domain = bareHostname(name).replace(/^\*/, '');
  // An IPv6 address has several forms, and that of a URL is the shortest one.
  if (isIP(domain)) return isInNetwork(`${domain}/${isIPv4(domain) ? 32 : 128}`, host);
  return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
}

function isInNetwork(cidr: string, host: string): boolean {
  const [network = '', prefix = ''] = cidr.split('/');
  const family = isIP(host);
  if (family === 0 || isIP(network) !== family || !/^\d{1,3}$/.test(prefix)) return false;
  const bits = Number(prefix);
  if (bits > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(network, bits, family === 4 ? 'ipv4' : 'ipv6');
  return list.check(host, family === 4 ? 'ipv4' : 'ipv6');
}
