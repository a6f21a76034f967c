export declare const deviations: Readonly<Record<string, string>>
