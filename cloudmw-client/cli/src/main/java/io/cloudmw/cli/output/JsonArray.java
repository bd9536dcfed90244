package io.cloudmw.cli.output;

import java.io.PrintStream;
import java.util.Map;

/**
 * A command's answer that is one long array. Elements are printed one by one, so that the whole array is never in
 * memory. A failure before the first element prints nothing of the array; a later failure ends its line.
 */
public final class JsonArray implements AutoCloseable {
    private final PrintStream out;
    private final String name;
    private boolean begun;
    private boolean ended;

    /**
     * Begins an object with one array.
     *
     * @param name the name of the array's field
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

    /** Ends the array after its last element. */
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
