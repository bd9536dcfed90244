package io.cloudmw.core.testing;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** Programs of the machine that some tests need. */
public final class TestPrograms {
    private TestPrograms() {}

    /**
     * Returns a program on the path, or in one of these folders. If there is none, prints why the test is left out and
     * skips it.
     *
     * @param required the variable that makes the absence a failure
     * @param isRequired whether it is set
     * @throws IllegalStateException when there is none, and it is required
     */
    public static Path require(String name, String absent, String required, boolean isRequired, String... folders) {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        Optional<Path> found = Stream.concat(Stream.of(path.split(File.pathSeparator)), Stream.of(folders))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst();
        if (found.isEmpty()) {
            System.out.println(absent);
            if (isRequired) {
                throw new IllegalStateException(absent + ", and " + required + " is set");
            }
            Assumptions.abort(absent);
        }
        return found.orElseThrow();
    }
}
