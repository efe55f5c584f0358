import type { ClusterSettings, Plain } from '@muster/contracts';
import { isMaskedProxyUrl, maskedProxyUrl } from '@muster/domain';
import { openSealedProxy, type SealedProxy, SECRETS, IDS } from '@muster/nest-kit';
import type { Ids, Secrets } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { Inject, Injectable } from '@nestjs/common';
import type { SecretToSeal } from './sealing-commands';

type ProxySetting = Plain<ClusterSettings>['proxy'];

const FIELDS = ['httpProxy', 'httpsProxy'] as const;
const NAMES: Readonly<Record<(typeof FIELDS)[number], string>> = { httpProxy: 'http_proxy', httpsProxy: 'https_proxy' };

export interface GivenProxy {
  /** The proxy as events store it: credentials are masked. */
  readonly proxy: ProxySetting;
  readonly toSeal: readonly SecretToSeal[];
}

/** Splits a proxy into its masked form and the credentials to seal. */
@Injectable()
export class GivenProxies {
  constructor(
    @Inject(SECRETS) private readonly secrets: Secrets,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  /**
   * `scope`: id of the cluster or infra-env. `before`: its present proxy. A URL that comes back with its mask keeps its
   * credentials. Each new pair of URLs gets a new sealed name, so that events show a change of the password.
   * @throws RefusalError `invalid-input` for a mask without stored credentials.
   */
  async split(scope: string, given: ProxySetting, before?: ProxySetting): Promise<GivenProxy> {
    if (!given) return { proxy: given, toSeal: [] };
    const known = before?.sealedAs ? await openSealedProxy(this.secrets, scope, before.sealedAs) : undefined;
    const urls: SealedProxy = {
      httpProxy: unmasked('httpProxy', given, before, known),
      httpsProxy: unmasked('httpsProxy', given, before, known),
    };
    const { sealedAs: _, ...open } = given;
    const masked = { ...open };
    for (const field of FIELDS) if (given[field] !== undefined) masked[field] = maskedProxyUrl(urls[field]);
    if (FIELDS.every((field) => maskedProxyUrl(urls[field]) === urls[field])) return { proxy: masked, toSeal: [] };
    if (known && FIELDS.every((field) => urls[field] === known[field]))
      return { proxy: { ...masked, sealedAs: before?.sealedAs }, toSeal: [] };
    const sealedAs = `proxy/${this.ids.uuid()}`;
    return { proxy: { ...masked, sealedAs }, toSeal: [{ name: sealedAs, text: JSON.stringify(urls) }] };
  }
}

function unmasked(
  field: (typeof FIELDS)[number],
  given: NonNullable<ProxySetting>,
  before: ProxySetting,
  known: SealedProxy | undefined,
): string {
  const url = given[field] ?? '';
  if (!isMaskedProxyUrl(url)) return url;
  const found = before?.[field] === url ? known?.[field] : undefined;
  if (found) return found;
  throw new RefusalError({
    code: 'invalid-input',
    reason: `${NAMES[field]} contains a mask, and no credentials are stored for it. Send the user name and the password.`,
    subject: NAMES[field],
  });
}
