/* SIFT of VLFeat 0.9.21 on a grey image of f32 on standard input: vlfeat WIDTH HEIGHT FIRST_OCTAVE PEAK EDGE. Lines x y sigma angle d0 … d127.
   acceptance.py builds it: cc -O2 vlfeat.c -lvl -lm, with Debian's libvlfeat-dev. */
#include <stdio.h>
#include <stdlib.h>
#include <vl/sift.h>

int main(int argc, char **argv) {
  if (argc != 6) return 2;
  int width = atoi(argv[1]), height = atoi(argv[2]);
  float *image = malloc(sizeof(float) * width * height);
  if (fread(image, sizeof(float), width * height, stdin) != (size_t)(width * height)) return 2;
  VlSiftFilt *sift = vl_sift_new(width, height, -1, 3, atoi(argv[3]));
  vl_sift_set_peak_thresh(sift, atof(argv[4]));
  vl_sift_set_edge_thresh(sift, atof(argv[5]));
  for (int end = vl_sift_process_first_octave(sift, image); !end; end = vl_sift_process_next_octave(sift)) {
    vl_sift_detect(sift);
    const VlSiftKeypoint *keypoints = vl_sift_get_keypoints(sift);
    for (int k = 0; k < vl_sift_get_nkeypoints(sift); k++) {
      double angles[4];
      int directions = vl_sift_calc_keypoint_orientations(sift, angles, keypoints + k);
      for (int a = 0; a < directions; a++) {
        float descriptor[128];
        vl_sift_calc_keypoint_descriptor(sift, descriptor, keypoints + k, angles[a]);
        printf("%.5f %.5f %.5f %.5f", keypoints[k].x, keypoints[k].y, keypoints[k].sigma, angles[a]);
        for (int d = 0; d < 128; d++) printf(" %d", (int)(512 * descriptor[d] < 255 ? 512 * descriptor[d] : 255));
        printf("\n");
      }
    }
  }
  return 0;
}
