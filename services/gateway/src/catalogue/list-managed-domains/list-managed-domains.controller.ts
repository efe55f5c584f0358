import { Controller, Get } from '@nestjs/common';
import { list, maybe, record, text, word } from '@muster/assisted-api';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';

/** `managed-domain` of the contract. */
const V2_MANAGED_DOMAIN = record('managed-domain', { domain: maybe(text()), provider: maybe(word(['route53'])) });

/** Base domains whose DNS records are made here: none, so people bring their own. */
@Controller('v2/domains')
export class ListManagedDomainsController {
  @Get()
  @Answers('Lists the base domains whose DNS records are made here.', list(V2_MANAGED_DOMAIN))
  @Accepts('userAuth')
  handle(): readonly never[] {
    return [];
  }
}
