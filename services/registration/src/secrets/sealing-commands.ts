import { SECRETS } from '@muster/nest-kit';
import type { Secrets } from '@muster/ports';
import { Inject, Injectable } from '@nestjs/common';
import type { CommandContext, Stored, CommandHandler } from '@muster/event-sourcing';

/** Name of the sealed pull secret in the scope of its cluster or infra-env. */
const PULL_SECRET = 'pull-secret';

export const NO_OWNER = { userName: '', orgId: '', emailDomain: '' };

export interface SecretToSeal {
  readonly name: string;
  readonly text: string;
}

/** `pullSecret`: empty or undefined when the command brings none. */
export const pullSecretToSeal = (pullSecret: string | undefined): readonly SecretToSeal[] =>
  pullSecret ? [{ name: PULL_SECRET, text: pullSecret }] : [];

/**
 * Commands that bring secrets. They are sealed before the fact that they were given is stored, so that nobody ever looks for
 * a secret that is not there; and only if the command is going to be accepted, so that a refused one replaces nothing.
 */
@Injectable()
export class SealingCommands {
  constructor(@Inject(SECRETS) private readonly secrets: Secrets) {}

  /** `id`: of the aggregate, which is the secrets' scope too. */
  async handle<State, Command>(
    aggregate: CommandHandler<State, Command>,
    id: string,
    command: Command,
    toSeal: readonly SecretToSeal[],
    context: CommandContext,
  ): Promise<Stored> {
    if (toSeal.length > 0 && (await aggregate.wouldAccept(id, command)))
      for (const { name, text } of toSeal) await this.secrets.seal(id, name, Buffer.from(text));
    return aggregate.execute(id, command, context);
  }
}
