const REPORT = 'CLUSTER_OPERATORS_REPORT';

/** Names (and what they say) of the operators that a controller's report calls failed. The report is of any shape: whoever sends it is not trusted to be right. */
export function failedOperatorsOf(data: object | undefined): readonly string[] {
  const report = (data as { readonly [key: string]: unknown } | undefined)?.[REPORT];
  if (!Array.isArray(report)) return [];
  return report.flatMap((entry: unknown) => {
    const {
      name,
      status,
      status_info: info,
    } = (entry ?? {}) as { name?: unknown; status?: unknown; status_info?: unknown };
    if (status !== 'failed' || typeof name !== 'string') return [];
    return [typeof info === 'string' && info !== '' ? `${name} (${info})` : name];
  });
}
