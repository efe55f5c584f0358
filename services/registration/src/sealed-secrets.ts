import { IGNITION_ARCHIVE_BYTES_MAX } from '@muster/boot-image';
import {
  type ClusterSettings,
  documentSecretName,
  type HostSecret,
  hostSecretName,
  type HostSettings,
  type InfraEnvSettings,
  type Plain,
  PULL_SECRET,
} from '@muster/contracts';
import { type HostState, isMaskedProxyUrl, maskedProxyUrl, proxyCredentialsRefusal } from '@muster/domain';
import type { CommandContext, CommandHandler, Commands, Stored } from '@muster/event-sourcing';
import {
  DOCUMENT_TASKS,
  DocumentWorkers,
  IDS,
  openDocument,
  openSealedProxy,
  referenceOf,
  sealDocument,
  type SealedProxy,
  SECRETS,
} from '@muster/nest-kit';
import type { Ids, Secrets } from '@muster/ports';
import { type Refusal, RefusalError } from '@muster/problems';
import { onlyPresent } from '@muster/schema';
import { Inject, Injectable } from '@nestjs/common';

export const NO_OWNER = { userName: '', orgId: '', emailDomain: '' };

export interface SecretToSeal {
  readonly name: string;
  readonly text: string;
}

/** `pullSecret`: empty or undefined when the command contains none. */
export const pullSecretToSeal = (pullSecret: string | undefined): readonly SecretToSeal[] =>
  pullSecret ? [{ name: PULL_SECRET, text: pullSecret }] : [];

interface Sealing<Settings> {
  /** The references that events contain. */
  readonly changes: Settings;
  readonly toSeal: readonly SecretToSeal[];
}

/** Checks documents of users and splits them into the references that events store and the texts to seal. */
@Injectable()
export class GivenDocuments {
  constructor(
    @Inject(SECRETS) private readonly secrets: Secrets,
    private readonly workers: DocumentWorkers,
  ) {}

  /** @throws RefusalError `invalid-input` */
  async ofCluster({ installConfigOverrides, uiSettings }: ClusterDocuments): Promise<Sealing<Plain<ClusterSettings>>> {
    const changes: Plain<ClusterSettings> = {};
    if (uiSettings !== undefined) changes.uiSettings = referenceOf(uiSettings);
    if (installConfigOverrides !== undefined) {
      const read = await this.workers.run(DOCUMENT_TASKS.readInstallConfigOverrides, installConfigOverrides);
      if (read.kind === 'refused') throw unusable('install_config_overrides', read);
      const { omitsConsole, isFips, networkType } = read;
      const document = referenceOf(installConfigOverrides);
      changes.installConfigOverrides = { document, omitsConsole, isFips, networkType };
    }
    return { changes, toSeal: [...sealingOf(installConfigOverrides ?? ''), ...sealingOf(uiSettings ?? '')] };
  }

  /**
   * `before`: the present settings of the infra-env. Its documents may be invalid for another version or image type.
   * @throws RefusalError `invalid-input`
   */
  async ofInfraEnv(
    infraEnvId: string,
    { ignitionConfigOverride: override = '', staticNetworkConfig }: InfraEnvDocuments,
    { openshiftVersion, imageType, additionalTrustBundle: bundle }: Plain<InfraEnvSettings>,
    before: Plain<InfraEnvSettings> = {},
  ): Promise<Sealing<Plain<InfraEnvSettings>>> {
    const field = 'static_network_config';
    const version = openshiftVersion || before.openshiftVersion || '';
    const known = openshiftVersion || imageType === 'minimal-iso' ? before.staticNetworkConfig : undefined;
    const networks = staticNetworkConfig ?? (await openDocument(this.secrets, infraEnvId, known, field));
    if (networks !== '') {
      const type = imageType || before.imageType;
      const given = { staticNetworkConfig: networks, openshiftVersion: version, imageType: type };
      const problem = await this.workers.run(DOCUMENT_TASKS.checkStaticNetworks, given);
      if (problem) throw unusable(field, problem);
    }
    const stored = version === (before.openshiftVersion ?? '') ? undefined : before.ignitionConfigOverride;
    const used = override || (await openDocument(this.secrets, infraEnvId, stored, OVERRIDE));
    const problem = used && (await this.workers.run(DOCUMENT_TASKS.checkIgnitionOverride, used, OVERRIDE, version));
    if (problem) throw unusable(OVERRIDE, problem);
    await refuseLargeOverride(override, this.workers);
    const bundleProblem = bundle && (await this.workers.run(DOCUMENT_TASKS.checkTrustBundle, bundle));
    if (bundleProblem) throw unusable('additional_trust_bundle', bundleProblem);
    const hasNetworks = Boolean(staticNetworkConfig) || Boolean(before.staticNetworkConfig?.digest);
    return {
      changes: {
        ...(override === '' ? {} : { ignitionConfigOverride: referenceOf(override) }),
        ...(staticNetworkConfig !== undefined &&
          hasNetworks && { staticNetworkConfig: referenceOf(staticNetworkConfig) }),
        ...trustBundleChanges(bundle, before),
      },
      toSeal: [override, staticNetworkConfig ?? '', bundle ?? ''].flatMap(sealingOf),
    };
  }
}

/** A text in events of an earlier release is replaced by the document. */
function trustBundleChanges(given: string | undefined, before: Plain<InfraEnvSettings>): Plain<InfraEnvSettings> {
  if (given === undefined) return {};
  const hasDocument = given !== '' || Boolean(before.trustBundle?.digest);
  return {
    additionalTrustBundle: before.additionalTrustBundle ? '' : undefined,
    ...(hasDocument ? { trustBundle: referenceOf(given) } : {}),
  };
}

/** Empty: the document is removed. */
interface ClusterDocuments {
  readonly installConfigOverrides?: string;
  readonly uiSettings?: string;
}

interface InfraEnvDocuments {
  /** Empty: no change. */
  readonly ignitionConfigOverride?: string;
  /** Empty: the networks are removed. */
  readonly staticNetworkConfig?: string;
}

const sealingOf = (text: string): readonly SecretToSeal[] =>
  text === '' ? [] : [{ name: documentSecretName(referenceOf(text).digest), text }];

/** Size of an ordinary discovery configuration in the area of the image. */
const OWN_PART_BYTES = 16 * 1024;
const OVERRIDE = 'ignition_config_override';

/** @throws RefusalError when the override does not fit into any image */
async function refuseLargeOverride(text: string, workers: DocumentWorkers): Promise<void> {
  if (text === '') return;
  const config = new TextEncoder().encode(text);
  const { length: bytes } = await workers.runAlone(DOCUMENT_TASKS.createIgnitionArchive, config.length, config);
  const bytesMax = IGNITION_ARCHIVE_BYTES_MAX - OWN_PART_BYTES;
  if (bytes <= bytesMax) return;
  const reason = `${OVERRIDE} takes ${bytes} bytes of the image when it is compressed. Allowed: at most ${bytesMax}. Let hosts fetch large files from a server instead.`;
  throw unusable(OVERRIDE, { reason });
}

const unusable = (subject: string, problem: Pick<Refusal, 'reason' | 'allowed'>): RefusalError =>
  new RefusalError({ code: 'invalid-input', subject, reason: problem.reason, allowed: problem.allowed });

/**
 * Executes commands with secrets. The secrets are sealed when the command is accepted and before its event is stored.
 */
@Injectable()
export class SealingCommands {
  constructor(@Inject(SECRETS) private readonly secrets: Secrets) {}

  /** `id`: of the aggregate, which is also the scope of the secrets. `isNew`: the id was created for this command. */
  async handle<State, Command>(
    aggregate: CommandHandler<State, Command>,
    id: string,
    command: Commands<State, Command>,
    toSeal: readonly SecretToSeal[],
    context: CommandContext,
    isNew = false,
  ): Promise<Stored> {
    if (toSeal.length === 0) return aggregate.execute(id, command, context);
    const seal = async (): Promise<void> => {
      for (const [index, { name, text }] of toSeal.entries())
        await this.secrets.seal(id, name, Buffer.from(text), { isNewScope: isNew && index === 0 });
    };
    return aggregate.execute(id, command, context, isNew ? { replacesNothing: seal } : seal);
  }
}

export interface HostSecrets {
  readonly ignitionEndpointToken?: string;
  /** JSON object of header to value. */
  readonly ignitionEndpointHttpHeaders?: string;
  /** JSON object as in the v2 API. */
  readonly fencingCredentials?: string;
  /** Text of an Ignition config. */
  readonly ignitionConfigOverrides?: string;
}

interface SecretRow {
  readonly secret: HostSecret;
  readonly given: Exclude<keyof HostSecrets, 'ignitionConfigOverrides'>;
  /** The flag in the settings of the host that the secret is set. */
  readonly flag: 'ignitionEndpointTokenSet' | 'ignitionEndpointHttpHeadersSet' | 'fencingCredentialsSet';
}

const ROWS: readonly SecretRow[] = [
  { secret: 'ignition-endpoint-token', given: 'ignitionEndpointToken', flag: 'ignitionEndpointTokenSet' },
  {
    secret: 'ignition-endpoint-http-headers',
    given: 'ignitionEndpointHttpHeaders',
    flag: 'ignitionEndpointHttpHeadersSet',
  },
  { secret: 'fencing-credentials', given: 'fencingCredentials', flag: 'fencingCredentialsSet' },
];

/** Secrets of single hosts. */
@Injectable()
export class HostSecretVault {
  constructor(@Inject(SECRETS) private readonly secrets: Secrets) {}

  /**
   * Returns the settings that events contain for given secrets: flags, and the reference of the document. An empty
   * secret was removed.
   */
  settingsOf(given: HostSecrets): Plain<HostSettings> {
    const named = ROWS.filter((row) => given[row.given] !== undefined);
    const flags: Plain<HostSettings> = Object.fromEntries(named.map((row) => [row.flag, given[row.given] !== '']));
    const { ignitionConfigOverrides: text } = given;
    return text === undefined ? flags : { ...flags, ignitionConfigOverrides: referenceOf(text) };
  }

  /** The secrets are durable when it resolves. An empty secret replaces the one before. */
  async seal(infraEnvId: string, hostId: string, given: HostSecrets): Promise<void> {
    for (const row of ROWS) {
      const plaintext = given[row.given];
      if (plaintext === undefined) continue;
      await this.secrets.seal(infraEnvId, hostSecretName(hostId, row.secret), Buffer.from(plaintext));
    }
    await sealDocument(this.secrets, infraEnvId, given.ignitionConfigOverrides ?? '');
  }

  /** Returns an empty text when the host has none. Secrets of an earlier host with this id are ignored. */
  async open({ infraEnvId, hostId, settings }: HostState, secret: HostSecret): Promise<string> {
    const row = ROWS.find((one) => one.secret === secret);
    if (!row || !settings[row.flag]) return '';
    return (await this.secrets.open(infraEnvId, hostSecretName(hostId, secret)))?.toString('utf8') ?? '';
  }
}

type ProxySetting = Plain<ClusterSettings>['proxy'];

const FIELDS = ['httpProxy', 'httpsProxy'] as const;
const NAMES: Readonly<Record<(typeof FIELDS)[number], string>> = { httpProxy: 'http_proxy', httpsProxy: 'https_proxy' };

export interface GivenProxy {
  /** The proxy in events, with masked credentials. */
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
   * `scope`: id of the cluster or infra-env. `before`: its present proxy, whose fields are kept when `changes` does not
   * contain them. A URL that is sent with its mask keeps its credentials. Each new pair of URLs gets a new sealed name,
   * so that events show a change of the password.
   * @throws RefusalError `invalid-input` for a mask without stored credentials, and for credentials that cannot be read
   */
  async split(scope: string, changes: ProxySetting, before?: ProxySetting): Promise<GivenProxy> {
    if (!changes) return { proxy: changes, toSeal: [] };
    const given = { ...before, ...onlyPresent(changes) };
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
  const refusal = proxyCredentialsRefusal(url, NAMES[field]);
  if (refusal) throw new RefusalError(refusal);
  if (!isMaskedProxyUrl(url)) return url;
  const found = before?.[field] === url ? known?.[field] : undefined;
  if (found) return found;
  throw new RefusalError({
    code: 'invalid-input',
    reason: `${NAMES[field]} contains masked credentials, but none are stored for this address. Send the user name and the password.`,
    subject: NAMES[field],
  });
}
