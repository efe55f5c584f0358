import { randomUUID } from 'node:crypto';
import { IgnitionService, isEventOf, streamIdOf } from '@muster/contracts';
import { infraEnvDecider, readKernelArguments } from '@muster/domain';
import { callService, EVENT_STORE, type MusterEventStore, REQUESTS } from '@muster/nest-kit';
import type { Requests } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { Inject, Injectable } from '@nestjs/common';

/** The content that an infra-env adds to a base image. */
export interface InfraEnvContent {
  readonly config: Uint8Array;
  readonly appendKargs: readonly string[];
  /** Empty when there is none, or when it was not requested. */
  readonly networkRamdisk: Uint8Array;
  /** Time of the last change of any part, in milliseconds since the epoch. */
  readonly modifiedMs: number;
}

@Injectable()
export class InfraEnvContents {
  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: MusterEventStore,
    @Inject(REQUESTS) private readonly requests: Requests,
  ) {}

  /**
   * `isoType` determines the content of the document.
   * @throws RefusalError when an input is unknown or cannot be used
   */
  async of(infraEnvId: string, isoType: string, withNetwork: boolean): Promise<InfraEnvContent> {
    const [document, settings, networkRamdisk] = await Promise.all([
      this.documentOf(infraEnvId, isoType),
      this.settingsOf(infraEnvId),
      withNetwork ? this.networkRamdiskOf(infraEnvId) : new Uint8Array(),
    ]);
    const read = readKernelArguments(settings.kernelArguments);
    if ('refusal' in read) throw new RefusalError(read.refusal);
    return {
      config: Buffer.from(document.ignition, 'base64'),
      appendKargs: read.kernelArguments,
      networkRamdisk,
      modifiedMs: Math.max(Date.parse(document.generatedAt) || 0, settings.changedMs),
    };
  }

  private async networkRamdiskOf(infraEnvId: string): Promise<Uint8Array> {
    const method = IgnitionService.method.renderNetworkRamdisk;
    const { archive } = await callService(this.requests, method, { infraEnvId }, commandContext());
    return Buffer.from(archive, 'base64');
  }

  private documentOf(infraEnvId: string, isoType: string) {
    const method = IgnitionService.method.renderDiscoveryIgnition;
    return callService(this.requests, method, { infraEnvId, isoType, withoutToken: false }, commandContext());
  }

  /** All changes count, because the date of the document does not include kernel arguments and network files. */
  private async settingsOf(
    infraEnvId: string,
  ): Promise<{ readonly kernelArguments: string; readonly changedMs: number }> {
    let state = infraEnvDecider.initialState();
    let changedMs = 0;
    for await (const page of this.eventStore.readStream(streamIdOf('infraEnv', infraEnvId)))
      for (const event of page) {
        if (isEventOf('infraEnv', event)) state = infraEnvDecider.evolve(state, event);
        changedMs = Math.max(changedMs, Date.parse(event.metadata.occurredAt) || 0);
      }
    return { kernelArguments: state.settings.kernelArguments ?? '', changedMs };
  }
}

function commandContext() {
  const commandId = randomUUID();
  return { commandId, correlationId: commandId, actor: 'service:image' };
}
