// What every script starts from: a service for an account on the server under test, and a way to say what holds.
//
// The test that runs a script gives it the server in MAILWEIR_URL and the installed library in MAILWEIR_PEER. A script
// prints one line for each sentence it checks, and exits with 1 when one of them was not true.

import { createRequire } from "node:module";
import { join } from "node:path";

export const ews = createRequire(join(process.env.MAILWEIR_PEER, "node_modules/"))("ews-javascript-api");

const untrue = [];

/** The service as `name`@example.com, speaking `version`. */
export function service(name, version = ews.ExchangeVersion.Exchange2010_SP2) {
    const made = new ews.ExchangeService(version);
    made.Credentials = new ews.WebCredentials(`${name}@example.com`, "demo-password");
    made.Url = new ews.Uri(process.env.MAILWEIR_URL);
    return made;
}

/** Prints the sentence and whether it is true. */
export function check(sentence, isTrue, seen = "") {
    console.log(isTrue ? `ok      ${sentence}` : `NOT SO  ${sentence} – seen: ${JSON.stringify(seen)}`);
    if (!isTrue) untrue.push(sentence);
}

/** Checks that `call` fails with the code `code`; gives what was thrown. */
export async function refused(code, sentence, call) {
    try {
        await call();
    } catch (error) {
        const seen = codeOf(error);
        check(sentence, seen === code, seen ?? String(error));
        return error;
    }
    check(sentence, false, "no error");
    return null;
}

/** The EWS error code of what the library threw: a SOAP fault or an error in a response message. */
function codeOf(error) {
    const code = error.ErrorCode || error.ResponseCode || error.responseCode;
    return typeof code === "number" ? ews.ServiceError[code] : code;
}

/** A value out of the MessageXml of a fault or of a response message. */
export function detail(error, name) {
    const details = error.ErrorDetails ?? error.errorDetails ?? error.Response?.ErrorDetails;
    return details?.get?.(name) ?? details?.objects?.[name];
}

/** Text as XML holds it: the library writes what it is given between the tags as it is. */
export function escaped(text) {
    return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** What `call` gives once it gives something, or null after ten seconds. */
export async function eventually(call) {
    const end = Date.now() + 10_000;
    while (Date.now() < end) {
        const result = await call();
        if (result) return result;
        await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return null;
}

/** Runs the script and ends the process. */
export async function run(script) {
    try {
        await script();
    } catch (error) {
        check("the script runs to its end", false, `${codeOf(error) ?? ""} ${error?.message ?? error} ${error?.stack ?? ""}`);
    }
    process.exit(untrue.length === 0 ? 0 : 1);
}
