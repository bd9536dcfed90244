package io.cloudmw.it.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/** Check that the BOM has the versions that the project is built and tested with. */
final class BomTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    @Test
    void theVersionsOfTheBomAreThoseOfTheBuild() throws Exception {
        Element bom = project(ROOT.resolve("cloudmw-client/bom/pom.xml"));
        Element build = project(ROOT.resolve("pom.xml"));
        Map<String, String> pinned = properties(bom);

        assertThat(pinned).containsKeys("netty.version", "grpc.version", "protobuf.version", "guava.version");
        assertThat(properties(build)).containsAllEntriesOf(pinned);
        assertThat(child(bom, "version")).isEqualTo(child(build, "version"));
    }

    private static Element project(Path pom) throws IOException, ParserConfigurationException, SAXException {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(pom.toFile())
                .getDocumentElement();
    }

    private static Map<String, String> properties(Element project) {
        Map<String, String> properties = new TreeMap<>();
        for (Node each = first(project, "properties").getFirstChild(); each != null; each = each.getNextSibling()) {
            if (each instanceof Element property) {
                properties.put(property.getTagName(), property.getTextContent().strip());
            }
        }
        return properties;
    }

    private static String child(Element project, String name) {
        return first(project, name).getTextContent().strip();
    }

    private static Node first(Element project, String name) {
        for (Node each = project.getFirstChild(); each != null; each = each.getNextSibling()) {
            if (each instanceof Element child && child.getTagName().equals(name)) {
                return child;
            }
        }
        throw new AssertionError("no <" + name + "> in the POM");
    }
}
