import 'reflect-metadata';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { IgnitionService, type InfraEnvEvent, subjectOfMethod, toStoredData } from '@muster/contracts';
import type { Environment } from '@muster/nest-kit';
import { type EventStore, type JsonObject, NO_STREAM, type RecordedEvent, type Secrets } from '@muster/ports';
import { textAt } from '@muster/schema';
import { temporaryDirectory } from '@muster/testing';
import { openTestPlatform } from '@muster/testing/platform';
import type { LoggerService } from '@nestjs/common';
import { legacyIso } from './legacy-iso.fixture.spec';
import { startImage } from './main';

export const INFRA_ENV_ID = 'e1e1e1e1-0000-4000-8000-000000000002';
export const GENERATED_AT = '2026-01-02T03:04:05.678Z';
const BUILT_AT = '2025-06-01T00:00:00Z';
export const BUILD = '418.94.202501010000-0';
const SILENT: LoggerService = { log: () => undefined, warn: () => undefined, error: () => undefined };

type InfraEnvSettings = Extract<InfraEnvEvent, { readonly type: 'InfraEnvRegistered' }>['data']['settings'];

export interface ImageStage {
  readonly url: string;
  readonly endpoints: readonly string[];
  readonly base: Buffer;
  readonly directory: string;
  readonly eventStore: EventStore;
  readonly secrets: Secrets;
  /** Sets the document of the ignition service. Undefined: the infra-env does not exist. */
  setIgnition(text: string | undefined): void;
  /** Sets the network ramdisk of the ignition service. */
  setNetworkRamdisk(archive: Uint8Array): void;
  givenKernelArguments(kernelArguments: string): Promise<void>;
  /** Registers an infra-env with these settings. */
  givenInfraEnv(settings: InfraEnvSettings, infraEnvId?: string): Promise<void>;
  /** Changes the infra-env, as each change of its document does. */
  givenChange(): Promise<void>;
  /** Number of documents that the ignition service rendered. */
  rendered(): number;
  facts(): Promise<readonly RecordedEvent[]>;
  close(): Promise<void>;
}

/**
 * The image service with its real endpoint and a real bus, with a base image on disk. The test defines the replies of
 * the ignition service.
 */
export async function openImageStage(
  natsUrl: string,
  environment: Environment = {},
  tailBytes?: number,
  moreImages: readonly { readonly file: Buffer; readonly version: string; readonly [name: string]: unknown }[] = [],
): Promise<ImageStage> {
  const directory = temporaryDirectory();
  const base = legacyIso(tailBytes);
  writeFileSync(join(directory.path, 'base.iso'), base);
  utimesSync(join(directory.path, 'base.iso'), new Date(BUILT_AT), new Date(BUILT_AT));
  writeFileSync(join(directory.path, 'text.iso'), 'not an image');
  const image = (openshift_version: string, url: string, version = BUILD) => ({
    openshift_version,
    cpu_architecture: 'x86_64',
    url,
    version,
  });
  const osImages = [
    image('4.18', pathToFileURL(join(directory.path, 'base.iso')).href),
    image('4.17', 'base.iso', '417'),
    image('4.16', 'text.iso', '416'),
    image('4.15', 'missing.iso', '415'),
    image('4.14', '../base.iso', '414'),
    // No process listens on that port.
    image('4.13', 'http://127.0.0.1:1/base.iso', '413'),
    ...moreImages.map(({ file, ...entry }) => {
      const url = `${entry.version}.iso`;
      writeFileSync(join(directory.path, url), file);
      return { ...entry, url };
    }),
  ];
  const platform = await openTestPlatform({
    natsUrl,
    publishesEvents: true,
    environment: {
      IMAGE_HOST: '127.0.0.1',
      IMAGE_PORT: '0',
      OS_IMAGES: JSON.stringify(osImages),
      IMAGE_DIRECTORY: directory.path,
      DATA_DIR: join(directory.path, 'store'),
      ...environment,
    },
  });
  const { eventStore, requests } = platform;
  let ignition: string | undefined = '{"ignition":{"version":"3.1.0"}}';
  let rendered = 0;
  const served = requests.subscribe(
    subjectOfMethod(IgnitionService.method.renderDiscoveryIgnition),
    async ({ body }): Promise<JsonObject> => {
      if (textAt(body, 'infraEnvId') === INFRA_ENV_ID) rendered += 1;
      return ignition === undefined
        ? { refusal: { code: 'not-found', reason: 'There is no such infra-env.' } }
        : { ok: { ignition: Buffer.from(ignition).toString('base64'), generatedAt: GENERATED_AT } };
    },
  );
  let networkRamdisk = Buffer.alloc(0);
  const servedNetwork = requests.subscribe(
    subjectOfMethod(IgnitionService.method.renderNetworkRamdisk),
    async (): Promise<JsonObject> => ({ ok: { archive: networkRamdisk.toString('base64') } }),
  );
  const stop = async (): Promise<void> => {
    served.unsubscribe();
    servedNetwork.unsubscribe();
    await platform.close();
    directory.remove();
  };
  const service = await startImage(platform, SILENT).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const append = async (after: number, event: Parameters<typeof toStoredData>[0], id = INFRA_ENV_ID): Promise<void> => {
    const metadata = { commandId: 'c', correlationId: 'c', actor: 'user', occurredAt: GENERATED_AT };
    const data = toStoredData(event) as JsonObject;
    await eventStore.append(`infraEnv-${id}`, after, [{ id: `${id} ${after}`, type: event.type, data, metadata }]);
  };
  const givenInfraEnv: ImageStage['givenInfraEnv'] = (settings, infraEnvId = INFRA_ENV_ID) =>
    append(NO_STREAM, { type: 'InfraEnvRegistered', data: { infraEnvId, settings, pullSecretSet: true } }, infraEnvId);
  return {
    url: service.endpoints[0] ?? '',
    endpoints: service.endpoints,
    base,
    directory: directory.path,
    eventStore,
    secrets: platform.secrets,
    setIgnition: (text) => {
      ignition = text;
    },
    setNetworkRamdisk: (archive) => {
      networkRamdisk = Buffer.from(archive);
    },
    givenKernelArguments: (kernelArguments) => givenInfraEnv({ kernelArguments }),
    givenInfraEnv,
    givenChange: () => append(0, { type: 'InfraEnvSettingsRevised', data: { changes: {}, pullSecretReplaced: false } }),
    rendered: () => rendered,
    facts: () => platform.eventsOf(`image-${INFRA_ENV_ID}`),
    close: async () => {
      await service.close();
      await stop();
    },
  };
}
