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

  /** Sends the command without that wait, for programs that do not read what they have just written. @throws RefusalError */
  async ask<M extends Method>(method: M, input: InputOf<M>, context: CommandContext): Promise<OutputOf<M>> {
    return callService(this.requests, method, input, context);
  }

  /** Sends the command and waits until the read models show its result, so that users see their own changes. @throws RefusalError */
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
