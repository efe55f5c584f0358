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
  /** What facts may tell: credentials masked. */
  readonly proxy: ProxySetting;
  readonly toSeal: readonly SecretToSeal[];
}

/** Splits a proxy into what may be told and what has to be sealed. */
@Injectable()
export class GivenProxies {
  constructor(
    @Inject(SECRETS) private readonly secrets: Secrets,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  /**
   * `scope`: id of the cluster or infra-env; `before`: its proxy as it is. A URL that comes back with the mask in it keeps
   * its credentials. Each new pair of URLs gets a name of its own, so that facts tell that another password was given.
   * Throws RefusalError `invalid-input` for a mask that stands for nothing.
   */
  async split(scope: string, given: ProxySetting, before?: ProxySetting): Promise<GivenProxy> {
    if (!given) return { proxy: given, toSeal: [] };
    const known = before?.sealedAs ? await openSealedProxy(this.secrets, scope, before.sealedAs) : undefined;
    const urls: SealedProxy = {
      httpProxy: unmasked('httpProxy', given, before, known),
      httpsProxy: unmasked('httpsProxy', given, before, known),
    };
    const { sealedAs: _, ...told } = given;
    const masked = { ...told };
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
    reason: `${NAMES[field]} has a mask in place of user and password, and there is none that it stands for; give them.`,
    subject: NAMES[field],
  });
}
