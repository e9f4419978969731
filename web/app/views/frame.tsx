/** The whole page. */
export function Frame() {
  return (
    <main>
      <h1>confab</h1>
    </main>
  );
}
