package io.cloudmw.helper.log;

import ch.qos.logback.classic.LoggerContext;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.LoggerFactory;

/** The format of a process's log, which the environment chooses before anything else is read. */
public final class LogFormat {
    /** The variable that chooses the format. */
    public static final String VARIABLE = "CLOUDMW_LOG_FORMAT";

    /** The formats that have a {@code log-FORMAT.xml}. */
    private static final Set<String> FORMATS = Set.of("text", "json");

    /** Says in each JSON line which process wrote it. */
    private static final String PROCESS = "process";

    private static final String ID = "id";

    private LogFormat() {}

    /**
     * Checks the format that the environment chooses.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT}
     */
    public static void require(Map<String, String> environment) throws CloudMwException {
        String format = environment.getOrDefault(VARIABLE, "text");
        if (!FORMATS.contains(format)) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    VARIABLE + ": \"" + format.replaceAll("\\p{C}", "?") + "\" (expected: one of "
                            + new TreeSet<>(FORMATS) + ")");
        }
    }

    /**
     * Names this process in its JSON lines.
     *
     * @param process the kind of process
     * @param id its name among processes of this kind
     */
    public static void name(String process, String id) {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            context.putProperty(PROCESS, process);
            context.putProperty(ID, id);
        }
    }
}
