import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.ServiceLoader;
import org.osgi.framework.Bundle;
import org.osgi.framework.Constants;
import org.osgi.framework.launch.Framework;
import org.osgi.framework.launch.FrameworkFactory;

/** Starts the bundles of the property {@code bundles}, and makes an object of the class {@code type} of the last one. */
public final class Bundles {
    private Bundles() {
    }

    public static void main(String[] arguments) throws Exception {
        Path storage = Files.createTempDirectory(Path.of(System.getProperty("java.io.tmpdir")), "bundles");
        Framework framework = ServiceLoader.load(FrameworkFactory.class).iterator().next().newFramework(Map.of(
                Constants.FRAMEWORK_STORAGE, storage.toString(), Constants.FRAMEWORK_STORAGE_CLEAN, "onFirstInit"));
        framework.start();
        try {
            Bundle bundle = null;
            for (String path : System.getProperty("bundles").split(File.pathSeparator)) {
                bundle = framework.getBundleContext().installBundle(Path.of(path).toUri().toString());
                bundle.start();
            }
            Object made = bundle.loadClass(System.getProperty("type")).getConstructor().newInstance();
            boolean isolated = made.getClass().getClassLoader() != Bundles.class.getClassLoader();
            System.out.println("made " + made.getClass().getName() + " of " + bundle.getSymbolicName() + (isolated ? "" : ", not isolated"));
        } finally {
            framework.stop();
            framework.waitForStop(10_000);
        }
    }
}
