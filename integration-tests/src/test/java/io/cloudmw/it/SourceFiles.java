package io.cloudmw.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The Java files of all modules, for checks of the sources. Opens only the source folders of modules: other directories
 * may vanish while a build runs.
 */
final class SourceFiles {
    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private SourceFiles() {}

    /** Lists the files of products and tests. */
    static List<Path> all() throws IOException {
        List<Path> files = new ArrayList<>(in("src/main/java"));
        files.addAll(in("src/test/java"));
        return files;
    }

    /**
     * Lists the files below one folder of each module.
     *
     * @param folder relative to the module, such as {@code src/main/java}
     */
    static List<Path> in(String folder) throws IOException {
        List<Path> found = new ArrayList<>();
        for (Path module : modules()) {
            Path sources = module.resolve(folder);
            if (Files.exists(sources)) {
                try (Stream<Path> files = Files.walk(sources)) {
                    files.filter(Files::isRegularFile).forEach(found::add);
                }
            }
        }
        return found;
    }

    /** Lists the modules and the modules in them. */
    private static List<Path> modules() throws IOException {
        List<Path> modules = new ArrayList<>();
        for (Path directory : modulesIn(ROOT)) {
            modules.add(directory);
            modules.addAll(modulesIn(directory));
        }
        return modules;
    }

    private static List<Path> modulesIn(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.filter(entry -> Files.exists(entry.resolve("pom.xml")))
                    .toList();
        }
    }
}
