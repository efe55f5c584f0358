import { setTimeout as wait } from 'node:timers/promises';
import { EventsService, hostKeyOf, type RegistrationService } from '@muster/contracts';
import { type HostState, shownError } from '@muster/domain';
import type { CommandContext } from '@muster/event-sourcing';
import { callService, type InputOf, REQUESTS } from '@muster/nest-kit';
import type { Requests } from '@muster/ports';
import { type ProblemCode, RefusalError } from '@muster/problems';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Aggregates } from '../aggregates';
import { RegistrationView } from '../view/registration-view';

type Reply = InputOf<typeof RegistrationService.method.replyToStep>;
type Note = NonNullable<InputOf<typeof EventsService.method.recordNote>['note']>;

const TEMPORARY: readonly ProblemCode[] = ['busy', 'unavailable'];
/** Pauses before a note is sent again: the first one and the last one. Each is twice the one before. */
const FIRST_WAIT_MS = 1_000;
const LAST_WAIT_MS = 64_000;

/** Longest image name in a message. */
const IMAGE_MAX_CHARACTERS = 512;

/**
 * Records the upgrades of agents and their results in the event log. They are not domain events, because they do not
 * change the state of the host. The events service limits repetitions, so an agent that fails repeatedly does not fill
 * the log.
 */
@Injectable()
export class AgentUpgrades {
  private readonly logger = new Logger('registration');

  constructor(
    @Inject(REQUESTS) private readonly requests: Requests,
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
  ) {}

  /** Records that an agent received the upgrade step. `argument`: the argument of the step. */
  started(host: HostState, argument: string): void {
    const image = imageIn(argument);
    this.record(
      host,
      'upgrade_agent_started',
      'info',
      image,
      (name) => `The agent of host ${name} is replaced by ${image}.`,
    );
  }

  /** Records the result of an upgrade that an agent reported. */
  ended(host: HostState, { output, exitCode, error }: Pick<Reply, 'output' | 'exitCode' | 'error'>): void {
    const image = imageIn(output);
    const reason = shownError(error.trim()).replace(/\.$/, '');
    const succeeded = exitCode === 0 && /"result"\s*:\s*"success"/.test(output);
    if (succeeded)
      this.record(
        host,
        'upgrade_agent_finished',
        'info',
        image,
        (name) => `The agent of host ${name} is now ${image}.`,
      );
    else
      this.record(
        host,
        'upgrade_agent_failed',
        'error',
        image,
        (name) =>
          `The agent of host ${name} could not be replaced by ${image}${reason && `: ${reason}`}. The present agent keeps running and tries again at a later poll.`,
      );
  }

  /** Does not wait for the log, so that the reply to the agent is not delayed. */
  private record(
    host: HostState,
    name: string,
    severity: Note['severity'],
    image: string,
    messageFor: (hostName: string) => string,
  ): void {
    const { hostId, infraEnvId, clusterId, requestedHostname } = host;
    const hostName = requestedHostname || this.view.host(hostKeyOf(infraEnvId, hostId))?.hardware?.hostname || hostId;
    const ids = { host_id: hostId, infra_env_id: infraEnvId, ...(clusterId && { cluster_id: clusterId }) };
    const note = {
      name,
      severity,
      category: 'user',
      message: messageFor(hostName),
      clusterId,
      hostId,
      infraEnvId,
      props: { ...ids, host_name: hostName, agent_image: image },
    };
    void this.send(note, this.aggregates.ownContext({ state: host }));
  }

  /** Sends the note again while the event log is not available. It has one command id, so it is stored once. */
  private async send(note: Note, context: CommandContext): Promise<void> {
    for (let waitMs = FIRST_WAIT_MS; ; waitMs *= 2)
      try {
        await callService(this.requests, EventsService.method.recordNote, { note }, context);
        return;
      } catch (error) {
        const isTemporary = error instanceof RefusalError && TEMPORARY.includes(error.refusal.code);
        if (!isTemporary || waitMs > LAST_WAIT_MS)
          return this.logger.warn(`${note.name} of host ${note.hostId} was not recorded: ${String(error)}`);
        await wait(waitMs, undefined, { ref: false });
      }
  }
}

function imageIn(text: string): string {
  const [, image = ''] = /"agent_image"\s*:\s*"([^"\\]*)"/.exec(text) ?? [];
  return image.slice(0, IMAGE_MAX_CHARACTERS) || 'another image';
}
