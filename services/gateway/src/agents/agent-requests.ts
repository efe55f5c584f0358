import { Nullable, type Static, STEP_TYPES, StringEnum } from '@muster/assisted-api';
import { type AgentVerb, type NextStepsResponse, type Plain, RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { CLOCK, type InputOf, keptJson, type Method, type OutputOf } from '@muster/nest-kit';
import type { Clock } from '@muster/ports';
import { objectAt, parseJson } from '@muster/schema';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { LastSeen } from '../auth/last-seen';
import { Commands } from '../bus/commands';
import { type ImageRequest, ImageUrls, InfraEnvViews } from '../views/infra-env-views';

const V2_STEP = Type.Object(
  {
    step_type: StringEnum<string>(STEP_TYPES),
    step_id: Type.Optional(Type.String()),
    args: Type.Optional(Type.Array(Type.String())),
  },
  { title: 'step' },
);
type V2Step = Static<typeof V2_STEP>;

/**
 * `steps` of the v2 API. `next_instruction_seconds` is absent when it is 0; `instructions` is null when there are none.
 */
export const V2_STEPS = Type.Object(
  {
    next_instruction_seconds: Type.Optional(Type.Integer()),
    post_step_action: StringEnum<string>(['exit', 'continue']),
    instructions: Nullable(Type.Array(V2_STEP)),
  },
  { title: 'steps' },
);
type V2Steps = Static<typeof V2_STEPS>;

export function presentSteps(response: Plain<NextStepsResponse>): V2Steps {
  const { instructions, nextInstructionSeconds: seconds, postStepAction } = response;
  return {
    ...(seconds === 0 ? {} : { next_instruction_seconds: seconds }),
    post_step_action: postStepAction || 'continue',
    instructions: instructions.length === 0 ? null : instructions.map(presentStep),
  };
}

const presentStep = ({ stepType, stepId, args }: Plain<NextStepsResponse>['instructions'][number]): V2Step => ({
  step_type: stepType,
  ...(stepId === '' ? {} : { step_id: stepId }),
  ...(args.length === 0 ? {} : { args }),
});

/**
 * Returns the JSON of `steps`. The registration service keeps the JSON of a long argument by the id of its step: the other hosts of
 * a cluster, whose escaping took a tenth of the time of a poll.
 */
export function writeSteps(response: Plain<NextStepsResponse>): Buffer {
  const steps = presentSteps(response);
  const written = keptJson(response);
  if (!written || !steps.instructions) return Buffer.from(JSON.stringify(steps));
  const texts = steps.instructions.map((step) => writeStep(step, written.get(step.step_id ?? '')));
  const begin = JSON.stringify({ ...steps, instructions: undefined }).slice(0, -1);
  return Buffer.from(`${begin},"instructions":[${texts.join(',')}]}`);
}

const writeStep = (step: V2Step, argument: string | undefined): string =>
  argument === undefined
    ? JSON.stringify(step)
    : `${JSON.stringify({ ...step, args: undefined }).slice(0, -1)},"args":[${argument}]}`;

/**
 * The methods that agents may call, by the verb of the bus subject. The HTTP endpoint and the NATS endpoint use this
 * table.
 */
export const AGENT_METHODS = {
  register: RegistrationService.method.registerHost,
  next_steps: RegistrationService.method.nextSteps,
  reply_to_step: RegistrationService.method.replyToStep,
  report_progress: RegistrationService.method.reportHostProgress,
} as const satisfies { readonly [verb in Exclude<AgentVerb, 'nudge'>]: Method };

export type RequestVerb = keyof typeof AGENT_METHODS;

/**
 * Maximum number of concurrent writes of agents. They share one thread, so more of them would not end earlier, but each turn of the
 * event loop would take longer, and users would wait longer.
 */
export const CONCURRENT_AGENT_WRITES_MAX = 32;

/**
 * Limits the concurrent tasks. The waiting tasks of one key start in their order. The keys take turns, so that many tasks of one
 * key delay a task of another key by one task only.
 */
export class FairLimit {
  private running = 0;
  /** Key → functions that start its waiting tasks. The first key is the next one. */
  private readonly waiting = new Map<string, (() => void)[]>();

  constructor(private readonly max: number) {}

  /** Returns the result of the task. */
  run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    if (this.running < this.max) return this.start(task);
    return new Promise((resolve) => {
      const starts = this.waiting.get(key) ?? [];
      starts.push(() => resolve(this.start(task)));
      this.waiting.set(key, starts);
    });
  }

  private async start<Result>(task: () => Promise<Result>): Promise<Result> {
    this.running += 1;
    try {
      return await task();
    } finally {
      this.running -= 1;
      this.startNext();
    }
  }

  private startNext(): void {
    for (const [key, starts] of this.waiting) {
      this.waiting.delete(key);
      const start = starts.shift();
      if (starts.length > 0) this.waiting.set(key, starts);
      start?.();
      return;
    }
  }
}

/** Number of polls of waiting hosts that are answered together. */
export const GROUPED_POLLS_MAX = 16;
/** Time for which a poll waits for others, in milliseconds. The agent of assisted-service v2 gives up after 30 seconds. */
const GROUPING_MS_MAX = 1_000;
/**
 * A host that was not seen for this time, in milliseconds, polls at the interval of a waiting host. Hosts that could have new steps at
 * any moment poll more often.
 */
const WAITING_HOST_MS_MIN = 30_000;

/**
 * Lets tasks start in groups. A task that starts alone takes several times the CPU of one that follows another, because meanwhile the
 * processor has removed its code and data from the caches.
 */
export class Groups {
  private starts: (() => void)[] = [];
  private end: NodeJS.Timeout | undefined;

  constructor(
    private readonly max: number,
    private readonly waitMsMax: number,
  ) {}

  /** Resolves when the group is complete, or when its first task has waited for the maximum time. */
  join(): Promise<void> {
    return new Promise((resolve) => {
      this.starts.push(resolve);
      if (this.starts.length >= this.max) this.start();
      else this.end ??= setTimeout(() => this.start(), this.waitMsMax);
    });
  }

  /** Starts the group as it is. */
  start(): void {
    clearTimeout(this.end);
    this.end = undefined;
    const { starts } = this;
    this.starts = [];
    for (const start of starts) start();
  }
}

type NextSteps = (typeof AGENT_METHODS)['next_steps'];

const BOOT_ARTIFACTS_STEP = 'download-boot-artifacts';

/** Sends the requests of agents to the service that decides. The HTTP endpoint and the NATS endpoint use it. */
@Injectable()
export class AgentRequests implements BeforeApplicationShutdown {
  private readonly writes = new FairLimit(CONCURRENT_AGENT_WRITES_MAX);
  private readonly groups = new Groups(GROUPED_POLLS_MAX, GROUPING_MS_MAX);

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly lastSeen: LastSeen,
    private readonly commands: Commands,
    private readonly infraEnvs: InfraEnvViews,
    private readonly urls: ImageUrls,
  ) {}

  // The HTTP server stops afterwards, and waits for the answers.
  beforeApplicationShutdown(): void {
    this.groups.start();
  }

  /**
   * Returns the next steps. The steps of the service do not contain the URLs of the boot artifacts. A poll of a waiting host joins
   * others. Its agent polls again an interval after the answer, so the hosts of a group soon poll at the same time.
   * @throws RefusalError
   */
  async nextSteps(
    input: InputOf<NextSteps> & { readonly infraEnvId: string; readonly hostId: string },
    context: CommandContext,
    request?: ImageRequest,
  ): Promise<OutputOf<NextSteps>> {
    const seenMs = this.lastSeen.seenMs(input.infraEnvId, input.hostId);
    if (seenMs !== undefined && this.clock.nowMs() - seenMs >= WAITING_HOST_MS_MIN) await this.groups.join();
    const answer = await this.send('next_steps', input, context);
    const needsUrls = ({ stepType }: { readonly stepType: string }): boolean => stepType === BOOT_ARTIFACTS_STEP;
    if (!answer.instructions.some(needsUrls)) return answer;
    const { initrdUrl, kernelUrl, rootfsUrl } = await this.urls.networkBoot(
      await this.infraEnvs.document(input.infraEnvId),
      request,
    );
    const withUrls = (args: readonly string[]): string[] => [
      JSON.stringify({
        ...objectAt(parseJson(args[0] ?? '')),
        initrd_url: initrdUrl,
        kernel_url: kernelUrl,
        rootfs_url: rootfsUrl,
      }),
    ];
    return {
      ...answer,
      instructions: answer.instructions.map((step) =>
        needsUrls(step) ? { ...step, args: withUrls(step.args) } : step,
      ),
    };
  }

  /** @throws RefusalError */
  async send<Verb extends RequestVerb>(
    verb: Verb,
    input: InputOf<(typeof AGENT_METHODS)[Verb]> & { readonly infraEnvId: string; readonly hostId: string },
    context: CommandContext,
  ): Promise<OutputOf<(typeof AGENT_METHODS)[Verb]>> {
    const asAgent = { ...context, actor: `agent:${input.hostId}` };
    const { infraEnvId, hostId } = input;
    const send = () => this.commands.send(AGENT_METHODS[verb], input, asAgent);
    const answer = await (verb === 'next_steps' ? send() : this.writes.run(infraEnvId, send));
    // Recorded only after the command succeeded, so that invented host ids use no memory.
    const clockSeconds = 'timestampSeconds' in input ? Number(input.timestampSeconds) : 0;
    this.lastSeen.note(infraEnvId, hostId, this.clock.nowMs(), clockSeconds);
    return answer;
  }
}
