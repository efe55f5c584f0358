import { Inject, Injectable } from '@nestjs/common';
import type { CommandContext } from '@muster/event-sourcing';
import { callService, type InputOf, type Method, type OutputOf, REQUESTS } from '@muster/nest-kit';
import type { Requests } from '@muster/ports';
import { FailureLog } from './failure-log';
import { ReadYourWrites } from './read-your-writes';
import { refusedSubjectOf } from './refused-commands.table';

/** The way from a request to the service that decides. */
@Injectable()
export class Commands {
  constructor(
    @Inject(REQUESTS) private readonly requests: Requests,
    private readonly readYourWrites: ReadYourWrites,
    private readonly failures: FailureLog,
  ) {}

  /** Asks and answers at once: for programs that do not read what they have just written. Throws RefusalError. */
  async ask<M extends Method>(method: M, input: InputOf<M>, context: CommandContext): Promise<OutputOf<M>> {
    return callService(this.requests, method, input, context);
  }

  /** Asks, and answers once the read models show what was stored, so that a person sees his own change. Throws RefusalError. */
  async execute<M extends Method>(method: M, input: InputOf<M>, context: CommandContext): Promise<OutputOf<M>> {
    const subject = refusedSubjectOf(method, input);
    const asked = (): Promise<OutputOf<M>> => this.ask(method, input, context);
    const reply = await (subject ? this.failures.around(subject, context, asked) : asked());
    const position = positionOf(reply);
    if (position !== undefined) await this.readYourWrites.passed(position);
    return reply;
  }
}

function positionOf(reply: object): number | undefined {
  const { stored } = reply as { readonly stored?: { readonly position?: number } };
  return stored?.position;
}
