# Messy files as people bring them (lab/notes/messy-files.md), written into the folder given; truth/NAME.csv has frame from 0, x, y.
import random, math, os, json, sys, datetime as D
random.seed(27)
H=sys.argv[1]; os.makedirs(H+'/truth',exist_ok=True)
F=12
def tracks(n=6,w=400,h=300,v=4,miss=.06):
    out=[]
    for i in range(n):
        x=random.uniform(30,w-30);y=random.uniform(30,h-30);a=random.uniform(0,6.28);p=[]
        for f in range(F):
            x+=v*math.cos(a)+random.gauss(0,.4);y+=v*math.sin(a)+random.gauss(0,.4)
            if f in(0,F-1) or random.random()>miss:p.append((f,round(x,3),round(y,3)))
        out.append(p)
    return out
def rows(T): return sorted((f,i,x,y) for i,p in enumerate(T) for f,x,y in p)
def save(name,text,truth,expect,enc='utf-8',nl='\n'):
    with open(f'{H}/{name}','wb') as o:o.write(text.replace('\n',nl).encode(enc))
    with open(f'{H}/truth/{name}.csv','w') as o:
        o.write('# '+expect+'\n')
        for t in truth:o.write(','.join(map(str,t))+'\n')
def fxy(R,dx=lambda v:v):return [(f,x,y) for f,i,x,y in R]
C=lambda v:str(v).replace('.',',')
# 1 Imaris
R=rows(tracks());s='\nPosition\n==================== \n\nPosition X,Position Y,Position Z,Unit,Category,Collection,Time,TrackID,ID,\n'
for k,(f,i,x,y) in enumerate(R):s+=f'{x},{y},{0.5},um,Spot,Position,{f+1},{1000000000+i},{k},\n'
save('imaris_Position.csv',s,fxy(R),'read: x,y in um, Time as frames from 1; TrackID known')
# 2 Icy xml
T=tracks();s='<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<root>\n<trackfile version="1"/>\n<trackgroup description="tracks">\n'
for i,p in enumerate(T):
    s+=f'<track id="{-7000+i}">\n'+''.join(f'<detection classname="plugins.nchenouard.particletracking.SpotTrack" color="-1" t="{f}" type="1" x="{x}" y="{y}" z="0"/>\n' for f,x,y in p)+'</track>\n'
save('icy_tracks.xml',s+'</trackgroup>\n<linklist/>\n</root>\n',fxy(rows(T)),'read, or refused with what to export instead')
# 3 CellProfiler
R=rows(tracks());s='ImageNumber,ObjectNumber,Metadata_FileLocation,Metadata_Frame,AreaShape_Area,AreaShape_BoundingBoxMaximum_X,AreaShape_BoundingBoxMinimum_X,AreaShape_Center_X,AreaShape_Center_Y,Location_Center_X,Location_Center_Y,Location_Center_Z,Number_Object_Number,TrackObjects_Label_50,TrackObjects_Displacement_50\n'
n={}
for f,i,x,y in R:
    n[f]=n.get(f,0)+1
    s+=f'{f+1},{n[f]},nan,{f},{random.randint(80,120)},{int(x)+6},{int(x)-6},{x},{y},{x},{y},0.0,{n[f]},{i+1},{"nan" if f==0 else 4.01}\n'
save('cellprofiler_Nuclei.csv',s,fxy(R),'read: ImageNumber is the frame, Location_Center_X/Y (or AreaShape_Center, the same) the place')
# 4 Fiji results
R=rows(tracks());s=' ,Label,Area,Mean,X,Y,Slice\n'
for k,(f,i,x,y) in enumerate(R):s+=f'{k+1},stack.tif:{f+1:04d}-{k+1:04d}:{f+1},{random.randint(20,60)},{random.randint(90,200)}.25,{x},{y},{f+1}\n'
save('fiji_Results.csv',s,fxy(R),'read: Slice as frame')
# 5 TrackMate v7 allspots
R=rows(tracks());s='''LABEL,ID,TRACK_ID,QUALITY,POSITION_X,POSITION_Y,POSITION_Z,POSITION_T,FRAME,RADIUS,VISIBILITY,MANUAL_SPOT_COLOR
Label,Spot ID,Track ID,Quality,X,Y,Z,T,Frame,Radius,Visibility,Manual spot color
Label,Spot ID,Track ID,Quality,X,Y,Z,T,Frame,R,Visibility,Spot color
,,,(quality),(micron),(micron),(micron),(sec),,(micron),,
'''
for k,(f,i,x,y) in enumerate(R):s+=f'ID{k+100},{k+100},{i if i<5 else "None"},12.5,{x},{y},0.0,{f*0.5},{f},2.5,1,\n'
save('trackmate_allspots.csv',s,fxy(R),'read: FRAME; one track of None')
# 6 MTrackJ points
R=[(f,i,x,y) for i,p in enumerate(tracks()) for f,x,y in p];s='Nr\tTID\tPID\tx [pixel]\ty [pixel]\tt [sec]\tI [val]\tLen [pixel]\n'
for k,(f,i,x,y) in enumerate(R):s+=f'{k+1}\t{i+1}\t{f+1}\t{x}\t{y}\t{f*0.25}\t{random.randint(20,200)}\t{"NA" if f==0 else "4.1"}\n'
save('mtrackj_Points.txt',s,fxy(rows([[(f,x,y) for f,j,x,y in R if j==i] for i in range(6)])),'read: t in seconds of 0.25 as frames')
# 7 MTrackJ mdf
T=tracks();s='MTrackJ 1.5.1 Data File\nDisplaying true true true 1 100 4 0 12 0 true true true false\nAssembly 1 FF0000\nCluster 1 FF0000\n'
for i,p in enumerate(T):s+=f'Track {i+1} FF0000 true\n'+''.join(f'Point {k+1} {x} {y} 1.0 {f+1}.0 1.0\n' for k,(f,x,y) in enumerate(p))
save('mtrackj.mdf',s+'End of MTrackJ Data File\n',fxy(rows(T)),'refused with what to do (or read)')
# 8 ToxTrac
T=tracks();s='Time\tArena\tTrack\tPos. X (mm)\tPos. Y (mm)\tLabel\n'
for i,p in enumerate(T):
    for f,x,y in p:s+=f'{f/25:.4f}\t1\t{i+1}\t{x}\t{y}\t1\n'
save('toxtrac_Tracking_RealSpace.txt',s,fxy(rows(T)),'read: 25 frames a second',nl='\r\n')
# 9 AnTracks semicolon, decimal comma
T=tracks();s='Track;Frame;Time (s);X (mm);Y (mm);Speed (mm/s);Heading (deg)\n'
for i,p in enumerate(T):
    for f,x,y in p:s+=f'{i+1};{f+1};{C(round(f/30,4))};{C(x)};{C(y)};{C(12.5)};{C(45.1)}\n'
save('antracks.csv',s,fxy(rows(T)),'read',enc='latin-1',nl='\r\n')
# 10 yolov5 deepsort
R=rows(tracks());s=''
tr=[]
for f,i,x,y in R:
    w,h=20,40;l,t=int(x-10),int(y-20);s+=f'{f+1} {i+1} {l} {t} {w} {h} -1 -1 -1 0\n';tr.append((f,l+10,t+20))
save('deepsort_results.txt',s,tr,'read as MOTChallenge with blanks, box centres (or refused with the format flag)')
# 11 KITTI tracking labels
R=rows(tracks());s='';tr=[]
for f,i,x,y in R:
    s+=f'{f} {i} Car 0 0 -1.570000 {x-15:.6f} {y-10:.6f} {x+15:.6f} {y+10:.6f} 1.50 1.60 3.90 {x/20:.6f} 1.700000 {20+y/10:.6f} -1.560000\n';tr.append((f,round(x,3),round(y,3)))
save('kitti_0001.txt',s,tr,'refused with --columns that work (or read: box centres)')
# 12 nuScenes-like
R=rows(tracks());o={'meta':{'use_camera':False},'results':{}}
for f,i,x,y in R:o['results'].setdefault(f'tok{f:04d}',[]).append({'sample_token':f'tok{f:04d}','translation':[x,y,.5],'size':[1.9,4.5,1.6],'rotation':[1,0,0,0],'velocity':[1,1],'tracking_id':str(i),'tracking_name':'car','tracking_score':.9})
save('nuscenes_results.json',json.dumps(o),fxy(R),'refused: what is expected and how to convert')
# 13 Danish AIS, dd/mm/yyyy
def geo(R):return [(f,i,round(11+x/1000,6),round(55+y/1500,6)) for f,i,x,y in R]
R=geo(rows(tracks()));s='# Timestamp,Type of mobile,MMSI,Latitude,Longitude,Navigational status,ROT,SOG,COG,Heading,Name\n'
for f,i,x,y in R:
    t=D.datetime(2024,2,1,23,58)+D.timedelta(seconds=10*f);s+=f'{t:%d/%m/%Y %H:%M:%S},Class A,{219000000+i},{y},{x},Under way using engine,0.0,{9.5},{120.1},{121},"SHIP, {i}"\n'
save('ais_dk.csv',s,fxy(R),'01/02 to 01/02 then 02/02: consistent only as day first (midnight passes); or refused with the one flag')
# 14 MarineCadastre
R=geo(rows(tracks()));s='MMSI,BaseDateTime,LAT,LON,SOG,COG,Heading,VesselName\n'
for f,i,x,y in R:
    t=D.datetime(2023,6,5,0,0)+D.timedelta(minutes=f);s+=f'{366000000+i},{t:%Y-%m-%dT%H:%M:%S},{y},{x},{9.5},{120.1},511.0,SHIP {i}\n'
save('ais_us.csv',s,fxy(R),'read: minutes as frames; LON LAT')
# 15 OpenSky states
R=geo(rows(tracks()));s='time,icao24,lat,lon,velocity,heading,vertrate,callsign,onground,alert,spi,squawk,baroaltitude,geoaltitude,lastposupdate,lastcontact\n'
for f,i,x,y in R:s+=f'{1700000000+10*f},a{i:05x},{y},{x},220.5,88.1,0,DLH{i}  ,False,False,False,1000,{10000 if i else "NaN"},,{1700000000+10*f-.3},{1700000000+10*f-.1}\n'
save('opensky_states.csv',s,fxy(R),'read: 10 s steps')
# 16 Geolife plt
p=tracks(1,miss=0)[0];s='Geolife trajectory\nWGS 84\nAltitude is in Feet\nReserved 3\n0,2,255,My Track,0,0,2,8421376\n0\n';tr=[]
for f,x,y in p:
    t=D.datetime(2008,10,23,2,53,4)+D.timedelta(seconds=5*f);la,lo=round(39.98+y/1e4,6),round(116.3+x/1e4,6);tr.append((f,lo,la))
    s+=f'{la},{lo},0,492,{39744.1201851852+5*f/86400:.10f},{t:%Y-%m-%d},{t:%H:%M:%S}\n'
save('geolife.plt',s,tr,'refused with the columns to name, that work (or read)',nl='\r\n')
# 17 gpx
s='<?xml version="1.0"?>\n<gpx version="1.1" creator="x"><trk><trkseg>\n';tr=[]
for f,x,y in p:
    la,lo=round(47+y/1e4,6),round(11+x/1e4,6);tr.append((f,lo,la));s+=f'<trkpt lat="{la}" lon="{lo}"><ele>500</ele><time>2024-05-01T10:00:{f:02d}Z</time></trkpt>\n'
save('walk.gpx',s+'</trkseg></trk></gpx>\n',tr,'refused with what to do (or read)')
# 18 Excel sep=; utf-16, thousands
def thousands(v):
    a=f'{v:,.2f}';return a.replace(',','X').replace('.',',').replace('X','.')
R=[(f,i,round(x*8,2),round(y*8,2)) for f,i,x,y in rows(tracks(v=1))];s='sep=;\nBild;Objekt;X (µm);Y (µm)\n'
for f,i,x,y in R:s+=f'{f+1};{i+1};{thousands(x)};{thousands(y)}\n'
save('excel_utf16.csv',s,fxy(R),'read with decimal comma and thousands point; Bild is the frame (or --columns frame=Bild)',enc='utf-16',nl='\r\n')
# 19 quotes with newlines in header and cells
R=rows(tracks());s='"Frame\n(no.)","X\n(px)","Y\n(px)","Comment"\n'
for k,(f,i,x,y) in enumerate(R):s+=f'{f},{x},{y},"{"blurred,"+chr(10)+"near ""edge""" if k%7==0 else ""}"\n'
save('quoted_newlines.csv',s,fxy(R),'read')
# 20 duplicate headers
R=rows(tracks());s='frame,x,y,x,y\n'
for f,i,x,y in R:s+=f'{f},{x},{y},{x*0.325:.3f},{y*0.325:.3f}\n'
save('duplicate_headers.csv',s,fxy(R),'refused with the flag that works')
# 21 units row
R=rows(tracks());s='Frame,Time,X,Y,Area\n-,s,µm,µm,µm²\n'
for f,i,x,y in R:s+=f'{f},{f*2.5},{x},{y},33.1\n'
save('units_row.csv',s,fxy(R),'read: Frame')
# 22 summary rows
R=rows(tracks());s='Slice,X,Y,Area\n'
for f,i,x,y in R:s+=f'{f+1},{x},{y},30\n'
s+='\nMean,200.1,150.2,30\nSD,80.1,70.2,0\nMin,1.0,1.0,30\nMax,399,299,30\n'
save('summary_rows.csv',s,fxy(R),'read without the last four rows and a note; or refused, rows named')
# 23 clock hh:mm:ss.mmm across midnight, 1-based, NaN strings
R=rows(tracks());s='time,id,x,y\n'
for f,i,x,y in R:
    t=D.datetime(2024,1,1,23,59,59,700000)+D.timedelta(milliseconds=100*f)
    bad=(f,i)==(5,2);s+=f'{t:%H:%M:%S}.{t.microsecond//1000:03d},{i+1},{"#N/A" if bad else x},{"n/a" if bad else y}\n'
save('clock_midnight.csv',s,[(f,x,y) for f,i,x,y in R if (f,i)!=(5,2)],'read: steps of 0.1 s, midnight once; one row without place noted')
# 24 corners
R=rows(tracks());s='image,label,confidence,xmin,ymin,xmax,ymax\n'
for f,i,x,y in R:s+=f'frame_{f+1:05d}.jpg,car,0.91,{x-10:.3f},{y-5:.3f},{x+10:.3f},{y+5:.3f}\n'
save('detector_boxes.csv',s,fxy(R),'read: box centres, frame from the image name (or refused with the flag that works)')
# 25 LAMMPS
T=tracks(miss=0);s=''
for f in range(F):
    s+=f'ITEM: TIMESTEP\n{f*100}\nITEM: NUMBER OF ATOMS\n6\nITEM: BOX BOUNDS pp pp pp\n0 400\n0 300\n-0.5 0.5\nITEM: ATOMS id type x y z\n'+''.join(f'{i+1} 1 {T[i][f][1]} {T[i][f][2]} 0\n' for i in range(6))
save('dump.lammpstrj',s,fxy(rows(T)),'read, or refused with what works')
# 26 day first by nothing: no frame column
s='x,y\n'+''.join(f'{x},{y}\n' for f,x,y in p)
save('no_frame.csv',s,[(f,x,y) for f,x,y in p],'refused with the remedy that works')
# 27 Kinovea
s='#Kinovea Trajectory data export\n#T X Y\n';tr=[]
for f,x,y in p:s+=f'{f//25}:{f/25:05.2f} {x} {y}\n'.replace('0:','0:00:',1) if False else f'0:00:{f/25:05.2f} {x} {y}\n';tr.append((f,x,y))
save('kinovea.txt',s,tr,'read: 0.04 s steps, one target')
# 28 ambiguous dates
R=rows(tracks());s='date,x,y\n'
for f,i,x,y in R:s+=f'{f+1:02d}/02/2024,{x},{y}\n'
save('dates_days.csv',s,fxy(R),'daily as day first (steps of 1 day) or monthly as month first (uneven months): the differences decide for day first; or refused with the one flag')
