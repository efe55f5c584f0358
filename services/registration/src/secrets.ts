import { PLATFORM, type Platform } from '@muster/nest-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { CommandContext } from '@muster/event-sourcing';
import { type Aggregate, type Stored, storedOrThrow } from './aggregates/aggregate';

/** Name of the sealed pull secret in the scope of its cluster or infra-env. */
const PULL_SECRET = 'pull-secret';

export const NO_OWNER = { userName: '', orgId: '', emailDomain: '' };

/**
 * Commands that bring a pull secret. It is sealed before the fact that it was given is stored, so that nobody ever looks for
 * a secret that is not there; and only if the command is going to be accepted, so that a refused one replaces nothing.
 */
@Injectable()
export class PullSecrets {
  constructor(@Inject(PLATFORM) private readonly platform: Platform) {}

  /** `pullSecret`: empty or undefined when the command brings none. `id`: of the aggregate, which is the secret's scope too. */
  async handle<State, Command>(
    aggregate: Aggregate<State, Command>,
    id: string,
    command: Command,
    pullSecret: string | undefined,
    context: CommandContext,
  ): Promise<Stored> {
    if (pullSecret && (await aggregate.accepts(id, command)))
      await this.platform.secrets.seal(id, PULL_SECRET, Buffer.from(pullSecret));
    return storedOrThrow(await aggregate.handle(id, command, context));
  }
}
