import { createHash, randomUUID } from 'node:crypto';
import { BootImageError, type ByteSource, customiseBootIso } from '@muster/boot-image';
import { IgnitionService, streamIdOf } from '@muster/contracts';
import { infraEnvDecider } from '@muster/domain';
import { callService, PLATFORM, type Platform } from '@muster/nest-kit';
import { type ProblemCode, RefusalError } from '@muster/problems';
import { Inject, Injectable } from '@nestjs/common';
import { BaseImages } from '../base-images/base-images';
import type { Representation } from '../http/representation';
import type { ImageType } from './image-type';
import { kernelArgumentsOf } from './kernel-arguments';

export interface ImageRequest {
  readonly infraEnvId: string;
  readonly type: ImageType;
  readonly version: string;
  readonly architecture: string;
}

/** An image as it will be sent. */
export interface DiscoveryImage extends Representation {
  readonly source: ByteSource;
}

const ETAG_CHARACTERS = 40;

/** The base image of a version with the infra-env's document and kernel arguments in it; nothing is copied or kept. */
@Injectable()
export class DiscoveryImages {
  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    private readonly baseImages: BaseImages,
  ) {}

  /** Throws RefusalError with what is unknown, too large or not built yet. */
  async make({ infraEnvId, type, version, architecture }: ImageRequest): Promise<DiscoveryImage> {
    const base = await this.baseImages.find(version, architecture);
    const { ignition, generatedAt } = await this.ignitionOf(infraEnvId, type);
    const config = Buffer.from(ignition, 'base64');
    const appendKargs = kernelArgumentsOf(await this.kernelArguments(infraEnvId));
    const identity = createHash('sha256')
      .update(`${base.digest}\n${JSON.stringify(appendKargs)}\n`)
      .update(config)
      .digest('hex');
    try {
      const source = await customiseBootIso(base.source, base.layout, { config, appendKargs });
      return {
        source,
        size: source.size,
        etag: `"${identity.slice(0, ETAG_CHARACTERS)}"`,
        modifiedMs: Date.parse(generatedAt),
      };
    } catch (error) {
      throw error instanceof BootImageError ? toRefusal(error) : error;
    }
  }

  private ignitionOf(infraEnvId: string, isoType: string) {
    const commandId = randomUUID();
    const context = { commandId, correlationId: commandId, actor: 'service:image' };
    const method = IgnitionService.method.renderDiscoveryIgnition;
    return callService(this.platform.requests, method, { infraEnvId, isoType }, context);
  }

  private async kernelArguments(infraEnvId: string): Promise<string> {
    let state = infraEnvDecider.initialState();
    for await (const page of this.platform.eventStore.readStream(streamIdOf('infraEnv', infraEnvId)))
      for (const { type, data } of page) state = infraEnvDecider.evolve(state, { type, data } as never);
    return state.settings.kernelArguments ?? '';
  }
}

const CODES: { readonly [code: string]: ProblemCode } = {
  config_too_large: 'too-large',
  kargs_too_long: 'invalid-input',
  hostile_karg: 'invalid-input',
  no_kargs_area: 'invalid-input',
};

const toRefusal = (error: BootImageError): RefusalError =>
  new RefusalError({ code: CODES[error.code] ?? 'internal', reason: error.message });
