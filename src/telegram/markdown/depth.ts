/**
 * What `render` gives, or nothing if its markdown is nested too deeply for the stack. Some thousand quotes in one
 * another would otherwise end the turn that they came in.
 */
export function unlessTooDeep<Result>(render: () => Result): Result | undefined {
  try {
    return render();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
