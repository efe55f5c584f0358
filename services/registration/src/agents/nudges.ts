import {
  agentSubject,
  type HostKey,
  parseHostKey,
  parseStreamId,
  type RecordedMusterEvent,
  hostKeyOfStream,
} from '@muster/contracts';
import { REQUESTS } from '@muster/nest-kit';
import type { Requests } from '@muster/ports';
import { Inject, Injectable } from '@nestjs/common';
import { RegistrationView } from '../view/registration-view';

/** Cluster settings that are inputs of steps. */
const SETTINGS_IN_STEPS: readonly string[] = [
  'name',
  'baseDnsDomain',
  'ocpReleaseImage',
  'apiVips',
  'ingressVips',
  'additionalNtpSource',
  'ntpSources',
  'diskEncryption',
];

/** Notifies agents that their next steps may have changed. A lost nudge costs one poll interval. */
@Injectable()
export class Nudges {
  constructor(
    @Inject(REQUESTS) private readonly requests: Requests,
    private readonly view: RegistrationView,
  ) {}

  after(event: RecordedMusterEvent): void {
    if (event.type === 'HostEnteredStatus') this.nudge(hostKeyOfStream(event.streamId), 'status');
    if (event.type !== 'ClusterSettingsRevised') return;
    const { changes } = event.data;
    if (SETTINGS_IN_STEPS.some((name) => name in (changes ?? {})))
      for (const { key } of this.view.hostsOf(parseStreamId(event.streamId).id)) this.nudge(key, 'settings');
  }

  private nudge(key: HostKey, reason: string): void {
    const { infraEnvId, hostId } = parseHostKey(key);
    this.requests.publish(agentSubject(infraEnvId, hostId, 'nudge'), { reason });
  }
}
