import { environmentLine } from '../config/unit-text';
import type { IgnitionFile, IgnitionProxy } from '../config/ignition-config';
import { MODE_READABLE, textFile } from '../config/ignition-file';
import type { ProxySettings } from './discovery-input';

/** NAME → value for every name that programs look for; none without an http or https proxy. */
function proxyVariables({ httpProxy, httpsProxy, noProxy }: ProxySettings): readonly (readonly [string, string])[] {
  if (httpProxy === '' && httpsProxy === '') return [];
  const given: readonly (readonly [string, string])[] = [
    ['HTTP_PROXY', httpProxy],
    ['HTTPS_PROXY', httpsProxy],
    ['NO_PROXY', noProxy],
  ];
  return given
    .filter(([, value]) => value !== '')
    .flatMap(([name, value]) => [[name, value] as const, [name.toLowerCase(), value] as const]);
}

export function proxyEnvironmentLines(proxy: ProxySettings): readonly string[] {
  return proxyVariables(proxy).map(([name, value]) => environmentLine(name, value));
}

/** For login shells of users and scripts. */
export function proxyFiles(proxy: ProxySettings): readonly IgnitionFile[] {
  const lines = proxyVariables(proxy).map(([name, value]) => `export ${name}=${shellQuote(value)}\n`);
  return lines.length === 0 ? [] : [textFile('/etc/profile.d/proxy.sh', MODE_READABLE, lines.join(''))];
}

/** For Ignition's own downloads. */
export function ignitionProxy(proxy: ProxySettings): IgnitionProxy | undefined {
  if (proxyVariables(proxy).length === 0) return undefined;
  const noProxy = splitList(proxy.noProxy);
  return {
    ...(proxy.httpProxy && { httpProxy: proxy.httpProxy }),
    ...(proxy.httpsProxy && { httpsProxy: proxy.httpsProxy }),
    ...(noProxy.length > 0 && { noProxy }),
  };
}

/** The entries of a comma-separated list. */
export function splitList(list: string): readonly string[] {
  return list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
