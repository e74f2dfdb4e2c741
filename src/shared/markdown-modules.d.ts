/** Tool and prompt texts: `import text from "./x.md"` gives the file's text (inlined by the build). */
declare module "*.md" {
  const text: string;
  export default text;
}
