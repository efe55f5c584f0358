import { PULL_SECRET } from '@muster/contracts';
import { SECRETS } from '@muster/nest-kit';
import type { Secrets } from '@muster/ports';
import { Inject, Injectable } from '@nestjs/common';
import type { CommandContext, Stored, CommandHandler } from '@muster/event-sourcing';

export const NO_OWNER = { userName: '', orgId: '', emailDomain: '' };

export interface SecretToSeal {
  readonly name: string;
  readonly text: string;
}

/** `pullSecret`: empty or undefined when the command brings none. */
export const pullSecretToSeal = (pullSecret: string | undefined): readonly SecretToSeal[] =>
  pullSecret ? [{ name: PULL_SECRET, text: pullSecret }] : [];

/** Commands with secrets. They are sealed when the command was accepted and before its event refers to them. */
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
    return aggregate.execute(id, command, context, async () => {
      for (const { name, text } of toSeal) await this.secrets.seal(id, name, Buffer.from(text));
    });
  }
}
