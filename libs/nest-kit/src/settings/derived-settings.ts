import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { ClusterSettings, Plain } from '@muster/contracts';
import { CLUSTER_TIMEOUT_TABLE, HOST_TIMEOUT_TABLE } from '@muster/domain';
import { certificatesFault } from '@muster/ignition-config';
import { isLatencyBound } from '@muster/inventory';
import { faultOfSetting, OPERATOR_SETTINGS, type OperatorSettings } from '@muster/operators';
import type { Secrets } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { createJsonReader, errorMessage } from '@muster/schema';
import { DEFAULT_REQUIREMENTS, parseRequirements, type RequirementsTable } from '@muster/validation-rules';
import { Type } from '@sinclair/typebox';
import { DURATION_EXPECTED, NOT_ZERO, parseDurationMs } from './setting';
import type { SettingsReader } from './settings-reader';
import { type SettingName, SETTINGS } from './settings.table';

/** Settings whose value is a path or absent. */
type FileSetting = {
  [Name in SettingName]: (typeof SETTINGS)[Name]['fallback'] extends string | undefined ? Name : never;
}[SettingName];

/**
 * Returns the content of the file in a setting. Undefined when it is not set. A file that cannot be read is rejected.
 */
export function readFileSetting(settings: SettingsReader, name: FileSetting): string | undefined {
  const path = settings.get(name);
  if (!path) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch {
    settings.reject(name, path, 'the path of a file that can be read');
    return undefined;
  }
}

/** As `readFileSetting`, for a file of PEM certificates. Another text is rejected with the reason. */
export function readCertificates(settings: SettingsReader, name: FileSetting): string | undefined {
  const pem = readFileSetting(settings, name);
  const fault = pem === undefined ? undefined : certificatesFault(pem);
  if (fault !== undefined) settings.reject(name, settings.get(name) ?? '', `a file of PEM certificates, but ${fault}`);
  return pem;
}

/** PEM texts of the private key and the certificate of an HTTPS endpoint. */
export interface TlsFiles {
  readonly key: string;
  readonly cert: string;
}

/** HTTPS_KEY_FILE and HTTPS_CERT_FILE must both be set, or neither. Rejects files that a TLS endpoint cannot use. */
export function readTlsFiles(settings: SettingsReader): TlsFiles | undefined {
  const [key, cert] = [readFileSetting(settings, 'HTTPS_KEY_FILE'), readFileSetting(settings, 'HTTPS_CERT_FILE')];
  if (key !== undefined && cert !== undefined) return usableTls(settings, { key, cert });
  const missing = settings.isSet('HTTPS_KEY_FILE') ? 'HTTPS_CERT_FILE' : 'HTTPS_KEY_FILE';
  const isOneGiven = settings.isSet('HTTPS_KEY_FILE') !== settings.isSet('HTTPS_CERT_FILE');
  if (isOneGiven) settings.reject(missing, '', 'a PEM file too, or neither HTTPS_KEY_FILE nor HTTPS_CERT_FILE');
  return undefined;
}

function usableTls(settings: SettingsReader, tls: TlsFiles): TlsFiles | undefined {
  // Lists, because an empty text counts as not given.
  const [key, cert] = [[tls.key], [tls.cert]];
  for (const [name, parts, expected] of [
    ['HTTPS_KEY_FILE', { key }, 'a PEM file with a private key without a passphrase'],
    ['HTTPS_CERT_FILE', { cert }, 'a PEM file with a certificate'],
    ['HTTPS_CERT_FILE', { key, cert }, 'the certificate of the key in HTTPS_KEY_FILE'],
  ] as const)
    try {
      createSecureContext(parts);
    } catch (error) {
      settings.reject(name, settings.get(name) ?? '', `${expected}. ${errorMessage(error)}`);
      return undefined;
    }
  return tls;
}

/** A setting whose definition is a row of another table: a timeout of the domain, or a setting of an operator. */
export interface DerivedSetting {
  readonly name: string;
  readonly readBy: readonly string[];
  readonly fallbackText: string;
  readonly meaning: string;
  /** Returns what is expected instead. Undefined when the text is valid. */
  readonly faultOf: (text: string) => string | undefined;
}

/** One per name, because two timeouts may share a setting. Names in `SETTINGS` are omitted. */
export function timeoutSettings(format: (durationMs: number) => string): readonly DerivedSetting[] {
  const rows = [
    ...HOST_TIMEOUT_TABLE.map(({ env, defaultMs, why }) => ({ env, fallbackText: format(defaultMs), why })),
    ...CLUSTER_TIMEOUT_TABLE.map(({ env, hardMs, softMs, why }) => ({
      env,
      fallbackText: hardMs === softMs ? format(hardMs) : `${format(hardMs)}; ${format(softMs)} with soft timeouts`,
      why,
    })),
  ];
  const byName = new Map(
    rows.flatMap(({ env, fallbackText, why }): [string, DerivedSetting][] =>
      env === undefined || Object.hasOwn(SETTINGS, env)
        ? []
        : [[env, { name: env, readBy: ['registration'], fallbackText, meaning: why, faultOf: timeoutFault(env) }]],
    ),
  );
  return [...byName.values()];
}

export const operatorSettings = (): readonly DerivedSetting[] =>
  OPERATOR_SETTINGS.map((setting) => ({
    name: setting.variable,
    readBy: ['registration', 'validation', 'ignition', 'gateway'],
    fallbackText: setting.standard || 'none',
    meaning: setting.meaning,
    faultOf: (text) => faultOfSetting(setting, text),
  }));

/** The time for which deleted resources can be read may be 0. */
const RETENTION = 'DELETED_UNREGISTERED_AFTER';

const timeoutFault =
  (env: string) =>
  (text: string): string | undefined => {
    const durationMs = parseDurationMs(text);
    if (durationMs === undefined) return DURATION_EXPECTED;
    return durationMs === 0 && env !== RETENTION ? `${DURATION_EXPECTED}. ${NOT_ZERO}` : undefined;
  };

/**
 * Returns the timeouts that the environment sets, in milliseconds by name. A text that is not a duration, and a timeout of 0, is rejected.
 */
export function readTimeouts(
  settings: SettingsReader,
  table: readonly { readonly env: string | undefined }[],
): Readonly<Record<string, number>> {
  const given: Record<string, number> = {};
  for (const { env } of table) {
    const text = env && settings.raw(env);
    if (!env || !text) continue;
    const expected = timeoutFault(env)(text);
    if (expected === undefined) given[env] = parseDurationMs(text) ?? 0;
    // The wrong value of a setting of the table is reported by its own reader.
    else if (!Object.hasOwn(SETTINGS, env)) settings.reject(env, text, expected);
  }
  return given;
}

/** How callers authenticate. `oidc` trusts an issuer; `agent-installer-local` is the type of a site that installs itself. */
export type AuthType = 'none' | 'local' | 'agent-installer-local' | 'oidc';

/** Setting AUTH_TYPE; `rhsso` is the name that assisted-service v2 gives to `oidc`. */
export function readAuthType(settings: SettingsReader): AuthType {
  const read = settings.get('AUTH_TYPE');
  return read === 'rhsso' ? 'oidc' : read;
}

/**
 * Returns the P-256 key in a setting, which is PEM, or PEM in base64. Undefined when it is not set. Rejects another text, and a key that is
 * missing although the type of authentication needs it. The messages do not contain the value.
 */
export function readEcKey(
  settings: SettingsReader,
  name: 'EC_PUBLIC_KEY_PEM' | 'EC_PRIVATE_KEY_PEM',
  neededBy: readonly AuthType[],
): KeyObject | undefined {
  const [kind, create] =
    name === 'EC_PRIVATE_KEY_PEM' ? (['private', createPrivateKey] as const) : (['public', createPublicKey] as const);
  const [given, authType] = [settings.get(name), readAuthType(settings)];
  const isNeeded = neededBy.includes(authType);
  if (given === '' && !isNeeded) return undefined;
  try {
    const key = create(given.includes('-----BEGIN') ? given : Buffer.from(given, 'base64').toString());
    if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key;
  } catch {
    // The error below does not contain the value.
  }
  const expected = `the PEM text of a P-256 ${kind} key${isNeeded ? `, which AUTH_TYPE=${authType} needs` : ''}`;
  settings.reject(name, given === '' ? '' : '(not shown)', expected);
  return undefined;
}

const VARIABLE = 'HW_VALIDATOR_REQUIREMENTS';

/** Returns the hardware requirements of each role by version. Several services must use the same. */
export function readHardwareRequirements(settings: SettingsReader): RequirementsTable {
  const json = settings.get(VARIABLE);
  if (json === undefined) return DEFAULT_REQUIREMENTS;
  const parsed = parseRequirements(json);
  if (parsed.kind === 'parsed') return parsed.table;
  settings.reject(VARIABLE, json, `a list of requirements by version. ${parsed.reason}`);
  return DEFAULT_REQUIREMENTS;
}

/** Returns the limits of latency and packet loss that hosts may exceed, because measurements are recorded in steps. */
export function inexactNetworkLimits(settings: SettingsReader): readonly string[] {
  const { standard, overlays } = readHardwareRequirements(settings);
  const roles = [standard, ...overlays.map((overlay) => overlay.roles)].flatMap((table) => Object.values(table));
  const inexact = (limits: readonly (number | undefined)[], isExact: (limit: number) => boolean): string =>
    [...new Set(limits)].filter((limit) => limit !== undefined && !isExact(limit)).join(', ');
  const latencies = inexact(
    roles.map(({ networkLatencyMsMax }) => networkLatencyMsMax),
    isLatencyBound,
  );
  const losses = inexact(
    roles.map(({ packetLossPercentMax }) => packetLossPercentMax),
    Number.isInteger,
  );
  return [latencies && `the latency to ${latencies} ms`, losses && `the packet loss to ${losses} %`].filter(Boolean);
}

/** Returns the settings of OLM operators that the environment sets, by variable. */
export function readOperatorSettings(settings: SettingsReader): OperatorSettings {
  const given = new Map<string, string>();
  for (const { name, faultOf } of operatorSettings()) {
    const text = settings.raw(name);
    if (text === undefined) continue;
    const expected = faultOf(text);
    if (expected) settings.reject(name, text, expected);
    else given.set(name, text);
  }
  return given;
}

type ProxySetting = Plain<ClusterSettings>['proxy'];

/** Proxy URLs with credentials. Empty when not set. */
export interface ProxyUrls {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

/** Returns the part of a proxy setting to seal: the URLs, when one of them contains credentials. */
export type SealedProxy = Pick<ProxyUrls, 'httpProxy' | 'httpsProxy'>;

/**
 * Returns the proxy URLs with their credentials, which are masked in events. `scope` is the id of the cluster or
 * infra-env with this setting.
 * @throws RefusalError `not-ready` when the sealed credentials are missing
 */
export async function openProxy(secrets: Secrets, scope: string, setting: ProxySetting): Promise<ProxyUrls> {
  const urls = maskedProxy(setting);
  if (!setting?.sealedAs) return urls;
  const sealed = await openSealedProxy(secrets, scope, setting.sealedAs);
  if (sealed) return { ...urls, ...sealed };
  throw new RefusalError({
    code: 'not-ready',
    reason: 'The stored credentials of the proxy are missing. Set the proxy again.',
    subject: 'http_proxy',
  });
}

/** Returns the URLs with a mask in place of the credentials. */
export const maskedProxy = (setting: ProxySetting): ProxyUrls => ({
  httpProxy: setting?.httpProxy ?? '',
  httpsProxy: setting?.httpsProxy ?? '',
  noProxy: setting?.noProxy ?? '',
});

const readSealedProxy = createJsonReader(Type.Object({ httpProxy: Type.String(), httpsProxy: Type.String() }), {
  name: 'the sealed proxy setting',
});

/** Returns undefined when the secret is missing. */
export async function openSealedProxy(
  secrets: Secrets,
  scope: string,
  sealedAs: string,
): Promise<SealedProxy | undefined> {
  const sealed = await secrets.open(scope, sealedAs);
  return sealed && readSealedProxy(sealed.toString());
}
