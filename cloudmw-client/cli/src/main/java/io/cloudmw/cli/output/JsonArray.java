package io.cloudmw.cli.output;

import java.io.PrintStream;
import java.util.Map;

/**
 * A command's answer that is one long array: printed element by element, so that it is never in memory as a whole. What
 * fails before the first element has printed nothing of it; what fails later ends its line.
 */
public final class JsonArray implements AutoCloseable {
    private final PrintStream out;
    private final String name;
    private boolean begun;
    private boolean ended;

    /**
     * Begins an object with one array.
     *
     * @param name of the array's field in the object that is printed
     */
    public JsonArray(PrintStream out, String name) {
        this.out = out;
        this.name = name;
    }

    public void add(Map<String, ?> element) {
        out.print(begun ? "," : "{\"" + name + "\":[");
        begun = true;
        out.print(Json.line(element));
    }

    /** Everything was added. */
    public void end() {
        out.println(begun ? "]}" : "{\"" + name + "\":[]}");
        ended = true;
    }

    @Override
    public void close() {
        if (begun && !ended) {
            out.println();
        }
    }
}
