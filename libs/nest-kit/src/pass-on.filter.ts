import { Catch, type RpcExceptionFilter } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';

/** Hands errors to the transport as they are: Nest's own filter would turn a refusal into "Internal server error". */
@Catch()
export class PassOnFilter implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}
